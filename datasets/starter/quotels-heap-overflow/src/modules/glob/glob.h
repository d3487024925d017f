#ifndef GLOB_MATCH_H
#define GLOB_MATCH_H

#include <stddef.h>

/* Whether the whole name matches the pattern. A `[` that no `]` follows stands for itself. */
int glob_match(const char *pattern, const char *name, size_t length);

#endif
