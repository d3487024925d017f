#ifndef QUOTE_H
#define QUOTE_H

#include <stddef.h>

/* A line of output. All zero bytes is an empty one. */
struct line {
    char *data;
    size_t length;
    size_t room;
};

/* Adds a name as it should be printed. The line is not terminated. */
void quote_add(struct line *line, const char *name, size_t length);

void line_add(struct line *line, char c);

void line_free(struct line *line);

#endif
