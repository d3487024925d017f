#include "ini.h"
#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int fail(struct ini *ini, int line, const char *message)
{
    ini->error_line = line;
    snprintf(ini->error, sizeof ini->error, "%s", message);
    return -1;
}

static char *copy(const char *bytes, size_t count)
{
    struct text text = {0};

    while (count-- > 0)
        text_add_char(&text, *bytes++);
    return text_take(&text);
}

static int is_name(int c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static size_t name_length(const char *s)
{
    size_t length = 0;

    while (is_name(s[length]))
        length++;
    return length;
}

static const char *skip_blank(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

/* Reads one line, joined with those that it goes on in. Returns how many lines were read, 0 at the end. */
static int read_line(FILE *in, struct text *line)
{
    int c, lines = 0;

    text_cut(line, 0);
    while ((c = getc(in)) != EOF) {
        if (lines == 0)
            lines = 1;
        if (c == '\r' || c == '\0')
            continue;
        if (c != '\n') {
            text_add_char(line, (char)c);
            continue;
        }
        if (line->length == 0 || line->data[line->length - 1] != '\\')
            break;
        text_cut(line, line->length - 1);
        lines++;
    }
    if (lines > 0 && line->data == NULL)
        text_add(line, "", 0);
    return lines;
}

static void add_entry(struct ini *ini, const char *section, char *key, char *value)
{
    struct ini_entry *entry = ini_find(ini, section, strlen(section), key, strlen(key));

    if (entry != NULL) {
        free(key);
        free(entry->value);
        entry->value = value;
        return;
    }
    if (ini->count == ini->room) {
        size_t room = ini->room == 0 ? 16 : ini->room * 2;

        entry = realloc(ini->entries, room * sizeof *entry);
        if (entry == NULL) {
            fputs("iniq: out of memory\n", stderr);
            exit(2);
        }
        ini->entries = entry;
        ini->room = room;
    }
    entry = &ini->entries[ini->count++];
    entry->section = copy(section, strlen(section));
    entry->key = key;
    entry->value = value;
}

/* Reads the value at s up to the end of the line or a comment. NULL if a quote is not closed. */
static char *read_value(const char *s)
{
    struct text value = {0};
    size_t solid = 0;
    int quoted = 0;

    for (; *s != '\0'; s++) {
        if (*s == '"') {
            quoted = !quoted;
            solid = value.length;
            continue;
        }
        if (!quoted && (*s == ';' || *s == '#') && value.length > solid)
            break;
        if (!quoted && (*s == ';' || *s == '#') && value.length == 0)
            break;
        if (quoted && *s == '\\' && s[1] != '\0') {
            s++;
            text_add_char(&value, *s == 'n' ? '\n' : *s == 't' ? '\t' : *s);
            continue;
        }
        text_add_char(&value, *s);
        if (quoted || (*s != ' ' && *s != '\t'))
            solid = value.length;
    }
    if (quoted) {
        text_free(&value);
        return NULL;
    }
    text_cut(&value, solid);
    return text_take(&value);
}

int ini_read(struct ini *ini, FILE *in)
{
    struct text line = {0};
    char *section = copy("", 0);
    int number = 1, lines, result = 0;

    memset(ini, 0, sizeof *ini);
    for (; result == 0 && (lines = read_line(in, &line)) > 0; number += lines) {
        const char *s = skip_blank(line.data);
        size_t length;

        if (*s == '\0' || *s == ';' || *s == '#')
            continue;
        if (*s == '[') {
            length = name_length(s + 1);
            if (length == 0 || s[length + 1] != ']') {
                result = fail(ini, number, "a section is [name]");
                continue;
            }
            free(section);
            section = copy(s + 1, length);
            continue;
        }
        length = name_length(s);
        if (length == 0 || *skip_blank(s + length) != '=') {
            result = fail(ini, number, "an entry is key = value");
            continue;
        }
        {
            char *value = read_value(skip_blank(skip_blank(s + length) + 1));

            if (value == NULL)
                result = fail(ini, number, "a quote is not closed");
            else
                add_entry(ini, section, copy(s, length), value);
        }
    }
    free(section);
    text_free(&line);
    return result;
}

struct ini_entry *ini_find(const struct ini *ini, const char *section, size_t section_length,
                           const char *key, size_t key_length)
{
    size_t i;

    for (i = 0; i < ini->count; i++) {
        struct ini_entry *entry = &ini->entries[i];

        if (strlen(entry->section) == section_length && strlen(entry->key) == key_length &&
            memcmp(entry->section, section, section_length) == 0 &&
            memcmp(entry->key, key, key_length) == 0)
            return entry;
    }
    return NULL;
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
    const struct ini_entry *entry = ini_find(ini, section, strlen(section), key, strlen(key));

    return entry == NULL ? NULL : entry->value;
}

void ini_free(struct ini *ini)
{
    size_t i;

    for (i = 0; i < ini->count; i++) {
        free(ini->entries[i].section);
        free(ini->entries[i].key);
        free(ini->entries[i].value);
    }
    free(ini->entries);
    memset(ini, 0, sizeof *ini);
}
