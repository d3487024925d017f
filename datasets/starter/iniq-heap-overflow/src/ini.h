#ifndef INIQ_INI_H
#define INIQ_INI_H

#include <stddef.h>
#include <stdio.h>

struct ini_entry {
    char *section; /* "" for entries before the first section */
    char *key;
    char *value;   /* references not yet replaced until ini_expand */
};

struct ini {
    struct ini_entry *entries;
    size_t count;
    size_t room;
    int error_line;     /* 0 if there is none */
    char error[160];
};

/* Reads a whole file. Returns 0, or -1 with error and error_line set; call ini_free in both cases. */
int ini_read(struct ini *ini, FILE *in);

/* Replaces every ${…} by what it stands for. Returns 0, or -1 with error set. */
int ini_expand(struct ini *ini);

/* The value of an entry, or NULL. The string lives as long as the ini does. */
const char *ini_get(const struct ini *ini, const char *section, const char *key);

/* The entry, or NULL. */
struct ini_entry *ini_find(const struct ini *ini, const char *section, size_t section_length,
                           const char *key, size_t key_length);

void ini_free(struct ini *ini);

#endif
