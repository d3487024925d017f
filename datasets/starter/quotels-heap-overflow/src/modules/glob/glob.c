#include "glob.h"

#include <string.h>

/* The end of the set that starts after `[`, or NULL. A `]` that comes first belongs to the set. */
static const char *set_end(const char *set)
{
    if (*set == '!')
        set++;
    return *set == '\0' ? NULL : strchr(set + 1, ']');
}

static int in_set(const char *set, const char *end, unsigned char c)
{
    int negated = *set == '!', found = 0;

    if (negated)
        set++;
    while (set < end) {
        unsigned char first = (unsigned char)*set, last = first;

        if (set + 2 < end && set[1] == '-') {
            last = (unsigned char)set[2];
            set += 2;
        }
        set++;
        found |= first <= c && c <= last;
    }
    return found != negated;
}

/* Matches one byte, and moves on in the pattern. */
static int match_one(const char **pattern, char c)
{
    const char *p = *pattern, *end;

    *pattern = p + 1;
    if (*p == '?')
        return 1;
    if (*p == '[' && (end = set_end(p + 1)) != NULL) {
        *pattern = end + 1;
        return in_set(p + 1, end, (unsigned char)c);
    }
    return *p == c;
}

int glob_match(const char *pattern, const char *name, size_t length)
{
    const char *star = NULL;
    size_t at = 0, star_at = 0;

    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            star_at = at;
            continue;
        }
        if (at == length && *pattern == '\0')
            return 1;
        if (at < length && *pattern != '\0' && match_one(&pattern, name[at])) {
            at++;
            continue;
        }
        /* The last star takes one byte more. */
        if (star == NULL || star_at == length)
            return 0;
        pattern = star;
        at = ++star_at;
    }
}
