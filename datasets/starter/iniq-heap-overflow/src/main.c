#include "ini.h"

#include <errno.h>
#include <string.h>

static int print_all(const struct ini *ini)
{
    size_t i;

    for (i = 0; i < ini->count; i++) {
        const struct ini_entry *entry = &ini->entries[i];

        printf("%s%s%s=%s\n", entry->section, entry->section[0] == '\0' ? "" : ".", entry->key, entry->value);
    }
    return 0;
}

static int print_one(const struct ini *ini, const char *name)
{
    const char *dot = strchr(name, '.');
    const char *key = dot == NULL ? name : dot + 1;
    size_t section_length = dot == NULL ? 0 : (size_t)(dot - name);
    const struct ini_entry *entry = ini_find(ini, name, section_length, key, strlen(key));

    if (entry == NULL)
        return 1;
    puts(entry->value);
    return 0;
}

int main(int argc, char **argv)
{
    struct ini ini;
    FILE *in;
    int status;

    if (argc < 2 || argc > 3) {
        fputs("usage: iniq FILE [SECTION.KEY]\n", stderr);
        return 2;
    }
    in = fopen(argv[1], "rb");
    if (in == NULL) {
        fprintf(stderr, "iniq: %s: %s\n", argv[1], strerror(errno));
        return 2;
    }
    if (ini_read(&ini, in) != 0) {
        fprintf(stderr, "iniq: %s:%d: %s\n", argv[1], ini.error_line, ini.error);
        status = 2;
    } else if (ini_expand(&ini) != 0) {
        fprintf(stderr, "iniq: %s: %s\n", argv[1], ini.error);
        status = 2;
    } else {
        status = argc == 3 ? print_one(&ini, argv[2]) : print_all(&ini);
    }
    fclose(in);
    ini_free(&ini);
    return status;
}
