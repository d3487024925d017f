#include "modules/glob/glob.h"
#include "modules/quote/quote.h"
#include "names.h"

#include <errno.h>
#include <string.h>

static int collect(struct names *names, int is_list, const char *path)
{
    FILE *in;
    int result;

    if (!is_list)
        return names_of_directory(names, path);
    in = fopen(path, "rb");
    if (in == NULL)
        return -1;
    result = names_of_list(names, in);
    fclose(in);
    return result;
}

static size_t print(const struct names *names, const char *pattern)
{
    struct line line = {0};
    size_t i, printed = 0;

    for (i = 0; i < names->count; i++) {
        const struct name *name = &names->items[i];

        if (pattern != NULL && !glob_match(pattern, name->bytes, name->length))
            continue;
        line.length = 0;
        quote_add(&line, name->bytes, name->length);
        line_add(&line, '\n');
        fwrite(line.data, 1, line.length, stdout);
        printed++;
    }
    line_free(&line);
    return printed;
}

int main(int argc, char **argv)
{
    struct names names = {0};
    int is_list = argc > 1 && strcmp(argv[1], "-f") == 0;
    int status;

    argv += 1 + is_list;
    argc -= 1 + is_list;
    if (argc < 1 || argc > 2) {
        fputs("usage: quotels DIR [PATTERN] | quotels -f LIST [PATTERN]\n", stderr);
        return 2;
    }
    if (collect(&names, is_list, argv[0]) != 0) {
        fprintf(stderr, "quotels: %s: %s\n", argv[0], strerror(errno));
        status = 2;
    } else {
        names_sort(&names);
        status = print(&names, argc == 2 ? argv[1] : NULL) > 0 ? 0 : 1;
    }
    names_free(&names);
    return status;
}
