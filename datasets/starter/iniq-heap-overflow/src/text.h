#ifndef INIQ_TEXT_H
#define INIQ_TEXT_H

#include <stddef.h>

/* A string that grows. All zero bytes is an empty one; data is always terminated once something was added. */
struct text {
    char *data;
    size_t length;
    size_t capacity;
};

void text_add(struct text *text, const char *bytes, size_t count);
void text_add_char(struct text *text, char c);

/* Cuts the text after its first `length` bytes. */
void text_cut(struct text *text, size_t length);

/* Hands the string over to the caller, who frees it. The text is empty afterwards. */
char *text_take(struct text *text);

void text_free(struct text *text);

#endif
