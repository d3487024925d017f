#ifndef DBFTAB_DBF_H
#define DBFTAB_DBF_H

#include <stddef.h>
#include <stdio.h>

#define DBF_NAME_SIZE 11
#define DBF_MAX_FIELDS 128

struct dbf_field {
    char name[DBF_NAME_SIZE + 1];
    char type;       /* C, N, D or L */
    size_t offset;   /* from the start of a record; its first byte is the mark of deleted ones */
    size_t length;
};

struct dbf {
    unsigned char *data;     /* the file */
    size_t header_size;
    size_t record_size;
    size_t count;            /* of records, deleted ones included */
    struct dbf_field fields[DBF_MAX_FIELDS];
    size_t field_count;
    char error[120];
};

/*
 * Takes over the content of a file, a block from malloc. Returns 0, or -1 with error set. Call dbf_free in both cases.
 */
int dbf_open(struct dbf *dbf, unsigned char *data, size_t size);

/* Reads all that is left of a file. Returns a block from malloc, or NULL with errno set. */
unsigned char *dbf_read_all(FILE *in, size_t *size);

int dbf_is_deleted(const struct dbf *dbf, size_t record);

/* The value without the blanks around it; its length goes to *length. It is not terminated. */
const char *dbf_value(const struct dbf *dbf, size_t record, const struct dbf_field *field, size_t *length);

void dbf_free(struct dbf *dbf);

/* Prints the names of the fields, then each record that is not deleted. */
void csv_print(FILE *out, const struct dbf *dbf);

#endif
