#include "quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

static void reserve(struct line *line, size_t count)
{
    size_t room = line->room == 0 ? FIRST_ROOM : line->room;
    char *data;

    while (room - line->length < count)
        room *= 2;
    if (room == line->room)
        return;
    data = realloc(line->data, room);
    if (data == NULL) {
        fputs("quote: out of memory\n", stderr);
        exit(2);
    }
    line->data = data;
    line->room = room;
}

/* The letter that stands for the byte after a backslash, or 0. */
static char letter_of(char c)
{
    switch (c) {
    case '"':
    case '\\':
        return c;
    case '\n':
        return 'n';
    case '\t':
        return 't';
    case '\r':
        return 'r';
    }
    return '\0';
}

static int is_plain(const char *name, size_t length)
{
    size_t i;

    if (length == 0 || name[0] == '-')
        return 0;
    for (i = 0; i < length; i++) {
        char c = name[i];

        if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') &&
            (c == '\0' || strchr("_./:,+@%=-", c) == NULL))
            return 0;
    }
    return 1;
}

static char *put_escaped(char *at, char c)
{
    unsigned char byte = (unsigned char)c;
    char letter = letter_of(c);

    if (letter != '\0') {
        *at++ = '\\';
        *at++ = letter;
    } else if (byte < ' ' || byte > '~') {
        *at++ = '\\';
        *at++ = (char)('0' + (byte >> 6));
        *at++ = (char)('0' + (byte >> 3 & 7));
        *at++ = (char)('0' + (byte & 7));
    } else {
        *at++ = c;
    }
    return at;
}

void quote_add(struct line *line, const char *name, size_t length)
{
    char *at;
    size_t i;

    if (is_plain(name, length)) {
        reserve(line, length);
        memcpy(line->data + line->length, name, length);
        line->length += length;
        return;
    }
    /* The quotes, and an escape for each byte. */
    reserve(line, 2 + 2 * length);
    at = line->data + line->length;
    *at++ = '"';
    for (i = 0; i < length; i++)
        at = put_escaped(at, name[i]);
    *at++ = '"';
    line->length = (size_t)(at - line->data);
}

void line_add(struct line *line, char c)
{
    reserve(line, 1);
    line->data[line->length++] = c;
}

void line_free(struct line *line)
{
    free(line->data);
    memset(line, 0, sizeof *line);
}
