#include "dbf.h"

#include <errno.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct dbf dbf;
    unsigned char *data;
    size_t size;
    FILE *in;
    int status = 0;

    if (argc != 2) {
        fputs("usage: dbftab FILE\n", stderr);
        return 2;
    }
    in = fopen(argv[1], "rb");
    data = in == NULL ? NULL : dbf_read_all(in, &size);
    if (data == NULL) {
        fprintf(stderr, "dbftab: %s: %s\n", argv[1], strerror(errno));
        return 2;
    }
    fclose(in);
    if (dbf_open(&dbf, data, size) != 0) {
        fprintf(stderr, "dbftab: %s: %s\n", argv[1], dbf.error);
        status = 1;
    } else {
        csv_print(stdout, &dbf);
    }
    dbf_free(&dbf);
    return status;
}
