/* Makes tables for the tests. */
#include "dbf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(const char *name, int passed)
{
    printf("%s %s\n", passed ? "ok  " : "FAIL", name);
    if (!passed)
        failures++;
}

#define TABLE_HEADER (32 + 2 * 32 + 1)

/* The header of a table with a text of 6 bytes and a number of 3. */
static void table_header(unsigned char *header)
{
    memset(header, 0, TABLE_HEADER);
    header[0] = 0x03;
    header[8] = TABLE_HEADER;
    header[10] = 1 + 6 + 3;
    memcpy(header + 32, "NAME\0\0\0\0\0\0\0C", 12);
    header[32 + 16] = 6;
    memcpy(header + 64, "SIZE\0\0\0\0\0\0\0N", 12);
    header[64 + 16] = 3;
    header[96] = 0x0d;
}

/* A copy that is not a byte larger. */
static unsigned char *copy(const void *bytes, size_t size)
{
    unsigned char *data = malloc(size);

    if (size > 0)
        memcpy(data, bytes, size);
    return data;
}

/* A table with these records, and that many end marks. */
static unsigned char *table(const char *records, size_t marks, size_t *size)
{
    unsigned char bytes[1024];
    unsigned char *data;

    table_header(bytes);
    memcpy(bytes + TABLE_HEADER, records, strlen(records));
    memset(bytes + TABLE_HEADER + strlen(records), 0x1a, marks);
    *size = TABLE_HEADER + strlen(records) + marks;
    data = copy(bytes, *size);
    return data;
}
