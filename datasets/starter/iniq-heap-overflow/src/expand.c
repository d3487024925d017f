#include "ini.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum state { RAW, OPEN, DONE };

static int expand_entry(struct ini *ini, enum state *states, struct ini_entry *entry);

static int fail(struct ini *ini, const struct ini_entry *entry, const char *message)
{
    snprintf(ini->error, sizeof ini->error, "%.40s%s%.40s: %s", entry->section,
             entry->section[0] == '\0' ? "" : ".", entry->key, message);
    return -1;
}

/* Adds what the reference between s and end stands for. */
static int add_reference(struct ini *ini, enum state *states, const struct ini_entry *from,
                         struct text *out, const char *s, const char *end)
{
    const char *section = from->section, *key = s;
    size_t section_length = strlen(section);
    const char *dot = memchr(s, '.', (size_t)(end - s));
    struct ini_entry *to;

    if (dot != NULL) {
        section = s;
        section_length = (size_t)(dot - s);
        key = dot + 1;
    }
    to = ini_find(ini, section, section_length, key, (size_t)(end - key));
    if (to == NULL)
        return fail(ini, from, "refers to an entry that is not there");
    if (states[to - ini->entries] == OPEN)
        return fail(ini, from, "refers to itself");
    if (expand_entry(ini, states, to) != 0)
        return -1;
    text_add(out, to->value, strlen(to->value));
    return 0;
}

static int expand_entry(struct ini *ini, enum state *states, struct ini_entry *entry)
{
    enum state *state = &states[entry - ini->entries];
    struct text out = {0};
    const char *s;

    if (*state == DONE)
        return 0;
    *state = OPEN;
    for (s = entry->value; *s != '\0'; s++) {
        const char *end;

        if (s[0] != '$' || (s[1] != '$' && s[1] != '{')) {
            text_add_char(&out, *s);
            continue;
        }
        s++;
        if (*s == '$') {
            text_add_char(&out, '$');
            continue;
        }
        end = strchr(s, '}');
        if (end == NULL) {
            text_free(&out);
            return fail(ini, entry, "a reference is ${key} or ${section.key}");
        }
        if (add_reference(ini, states, entry, &out, s + 1, end) != 0) {
            text_free(&out);
            return -1;
        }
        s = end;
    }
    free(entry->value);
    entry->value = text_take(&out);
    *state = DONE;
    return 0;
}

int ini_expand(struct ini *ini)
{
    enum state *states = calloc(ini->count + 1, sizeof *states);
    int result = 0;
    size_t i;

    if (states == NULL) {
        fputs("iniq: out of memory\n", stderr);
        exit(2);
    }
    for (i = 0; result == 0 && i < ini->count; i++)
        result = expand_entry(ini, states, &ini->entries[i]);
    free(states);
    return result;
}
