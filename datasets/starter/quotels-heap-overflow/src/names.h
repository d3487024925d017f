#ifndef QUOTELS_NAMES_H
#define QUOTELS_NAMES_H

#include <stddef.h>
#include <stdio.h>

struct name {
    char *bytes; /* terminated as well */
    size_t length;
};

/* Names in the order of their bytes, once names_sort was called. All zero bytes is an empty list. */
struct names {
    struct name *items;
    size_t count;
    size_t room;
};

/* Adds the files below a directory, without its own name. Returns 0, or -1 with errno set. Links are not followed. */
int names_of_directory(struct names *names, const char *path);

/* Adds the names in a list, each ended by a zero byte; one may be missing after the last. Returns 0, or -1 with errno set. */
int names_of_list(struct names *names, FILE *in);

void names_sort(struct names *names);

void names_free(struct names *names);

#endif
