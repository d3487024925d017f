#include "dbf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 0x03
#define PREFIX_SIZE 32
#define DESCRIPTOR_SIZE 32
#define HEADER_END 0x0d
#define END_MARK 0x1a

static int fail(struct dbf *dbf, const char *message)
{
    snprintf(dbf->error, sizeof dbf->error, "%s", message);
    return -1;
}

static size_t get16(const unsigned char *bytes)
{
    return (size_t)bytes[0] | (size_t)bytes[1] << 8;
}

/*
 * The size of the file without the end marks after the last record: dBASE writes one, some programs none, and under CP/M
 * they fill the last block of 128 bytes.
 */
static size_t size_of_content(const unsigned char *data, size_t size)
{
    while (data[size - 1] == END_MARK)
        size--;
    return size;
}

static int read_field(struct dbf *dbf, const unsigned char *descriptor, size_t offset)
{
    struct dbf_field *field = &dbf->fields[dbf->field_count];
    size_t i;

    memcpy(field->name, descriptor, DBF_NAME_SIZE);
    field->name[DBF_NAME_SIZE] = '\0';
    if (field->name[0] == '\0')
        return fail(dbf, "a field has no name");
    for (i = 0; field->name[i] != '\0'; i++) {
        if (!isalnum((unsigned char)field->name[i]) && field->name[i] != '_')
            return fail(dbf, "a field's name is not made of letters, digits and _");
    }
    field->type = (char)descriptor[11];
    if (field->type == '\0' || strchr("CNDL", field->type) == NULL)
        return fail(dbf, "a field has an unknown type");
    field->offset = offset;
    field->length = descriptor[16];
    if (field->length == 0)
        return fail(dbf, "a field has no length");
    dbf->field_count++;
    return 0;
}

static int read_header(struct dbf *dbf, size_t size)
{
    const unsigned char *data = dbf->data;
    size_t at, offset = 1;

    if (size < PREFIX_SIZE)
        return fail(dbf, "the header is cut off");
    if (data[0] != VERSION)
        return fail(dbf, "not a dBASE III table");
    dbf->header_size = get16(data + 8);
    dbf->record_size = get16(data + 10);
    if (dbf->header_size > size)
        return fail(dbf, "the header is cut off");

    for (at = PREFIX_SIZE; at + DESCRIPTOR_SIZE <= dbf->header_size && data[at] != HEADER_END; at += DESCRIPTOR_SIZE) {
        if (dbf->field_count == DBF_MAX_FIELDS)
            return fail(dbf, "more than 128 fields");
        if (read_field(dbf, data + at, offset) != 0)
            return -1;
        offset += dbf->fields[dbf->field_count - 1].length;
    }
    if (at >= dbf->header_size || data[at] != HEADER_END)
        return fail(dbf, "the header does not end");
    if (dbf->field_count == 0)
        return fail(dbf, "there are no fields");
    if (offset != dbf->record_size)
        return fail(dbf, "the fields are not as long as a record");
    return 0;
}

int dbf_open(struct dbf *dbf, unsigned char *data, size_t size)
{
    memset(dbf, 0, sizeof *dbf);
    dbf->data = data;
    size = size_of_content(data, size);
    if (read_header(dbf, size) != 0)
        return -1;

    /* The number of records in the header is the one of the last clean exit; the size is right after a crash, too. */
    if ((size - dbf->header_size) % dbf->record_size != 0)
        return fail(dbf, "the last record is cut off");
    dbf->count = (size - dbf->header_size) / dbf->record_size;
    return 0;
}

unsigned char *dbf_read_all(FILE *in, size_t *size)
{
    size_t room = 4096, count;
    unsigned char *data = malloc(room), *larger;

    *size = 0;
    while (data != NULL && (count = fread(data + *size, 1, room - *size, in)) > 0) {
        *size += count;
        if (*size < room)
            continue;
        larger = realloc(data, room *= 2);
        if (larger == NULL)
            free(data);
        data = larger;
    }
    if (data != NULL && ferror(in)) {
        free(data);
        data = NULL;
    }
    return data;
}

static const unsigned char *record_at(const struct dbf *dbf, size_t record)
{
    return dbf->data + dbf->header_size + record * dbf->record_size;
}

int dbf_is_deleted(const struct dbf *dbf, size_t record)
{
    return *record_at(dbf, record) == '*';
}

const char *dbf_value(const struct dbf *dbf, size_t record, const struct dbf_field *field, size_t *length)
{
    const char *value = (const char *)record_at(dbf, record) + field->offset;
    size_t start = 0, end = field->length;

    while (end > 0 && (value[end - 1] == ' ' || value[end - 1] == '\0'))
        end--;
    while (start < end && value[start] == ' ')
        start++;
    *length = end - start;
    return value + start;
}

void dbf_free(struct dbf *dbf)
{
    free(dbf->data);
    memset(dbf, 0, sizeof *dbf);
}
