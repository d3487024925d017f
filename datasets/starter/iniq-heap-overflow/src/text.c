#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 32

static void make_room(struct text *text, size_t count)
{
    size_t capacity = text->capacity;
    char *data;

    if (text->length + count < capacity)
        return;

    capacity = capacity == 0 ? FIRST_CAPACITY : capacity * 2;
    data = realloc(text->data, capacity);
    if (data == NULL) {
        fputs("iniq: out of memory\n", stderr);
        exit(2);
    }
    text->data = data;
    text->capacity = capacity;
}

void text_add(struct text *text, const char *bytes, size_t count)
{
    make_room(text, count);
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void text_add_char(struct text *text, char c)
{
    text_add(text, &c, 1);
}

void text_cut(struct text *text, size_t length)
{
    if (length >= text->length)
        return;
    text->length = length;
    text->data[length] = '\0';
}

char *text_take(struct text *text)
{
    char *data;

    if (text->data == NULL)
        text_add(text, "", 0);
    data = text->data;
    text->data = NULL;
    text->length = text->capacity = 0;
    return data;
}

void text_free(struct text *text)
{
    free(text->data);
    text->data = NULL;
    text->length = text->capacity = 0;
}
