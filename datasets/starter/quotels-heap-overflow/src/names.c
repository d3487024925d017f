#include "names.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void *allocated(void *block)
{
    if (block == NULL) {
        fputs("quotels: out of memory\n", stderr);
        exit(2);
    }
    return block;
}

static void add(struct names *names, const char *bytes, size_t length)
{
    struct name *name;

    if (names->count == names->room) {
        names->room = names->room == 0 ? 64 : names->room * 2;
        names->items = allocated(realloc(names->items, names->room * sizeof *names->items));
    }
    name = &names->items[names->count++];
    name->bytes = allocated(malloc(length + 1));
    memcpy(name->bytes, bytes, length);
    name->bytes[length] = '\0';
    name->length = length;
}

/* "a" and "b" are "a/b"; "" and "b" are "b". */
static char *joined(const char *directory, const char *name)
{
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = allocated(malloc(size));

    snprintf(path, size, "%s%s%s", directory, *directory == '\0' ? "" : "/", name);
    return path;
}

/* `below` is the way from `top` to the directory. */
static int walk(struct names *names, const char *top, const char *below)
{
    char *path = *below == '\0' ? joined("", top) : joined(top, below);
    DIR *directory = opendir(path);
    struct dirent *entry;
    int result = 0;

    free(path);
    if (directory == NULL)
        return -1;
    while (result == 0 && (errno = 0, entry = readdir(directory)) != NULL) {
        char *inner;
        struct stat status;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        inner = joined(below, entry->d_name);
        path = joined(top, inner);
        if (lstat(path, &status) != 0)
            result = -1;
        else if (S_ISDIR(status.st_mode))
            result = walk(names, top, inner);
        else
            add(names, inner, strlen(inner));
        free(path);
        free(inner);
    }
    if (entry == NULL && errno != 0)
        result = -1;
    closedir(directory);
    return result;
}

int names_of_directory(struct names *names, const char *path)
{
    return walk(names, path, "");
}

int names_of_list(struct names *names, FILE *in)
{
    char *name = NULL;
    size_t room = 0;
    ssize_t length;

    while ((length = getdelim(&name, &room, '\0', in)) > 0) {
        if (name[length - 1] == '\0')
            length--;
        if (length > 0)
            add(names, name, (size_t)length);
    }
    free(name);
    return ferror(in) ? -1 : 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->bytes, ((const struct name *)b)->bytes);
}

void names_sort(struct names *names)
{
    if (names->count > 0)
        qsort(names->items, names->count, sizeof *names->items, compare);
}

void names_free(struct names *names)
{
    while (names->count > 0)
        free(names->items[--names->count].bytes);
    free(names->items);
    memset(names, 0, sizeof *names);
}
