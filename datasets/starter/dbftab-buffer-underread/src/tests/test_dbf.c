#include "table.h"

static int value_is(const struct dbf *dbf, size_t record, size_t field, const char *wanted)
{
    size_t length;
    const char *value = dbf_value(dbf, record, &dbf->fields[field], &length);

    return length == strlen(wanted) && memcmp(value, wanted, length) == 0;
}

static void test_records(size_t marks)
{
    char records[64];
    struct dbf dbf;
    size_t size;
    unsigned char *data;

    snprintf(records, sizeof records, " %-6s%3s %-6s%3s*%-6s%3s", "one", "1", "two", "20", "three", "300");
    data = table(records, marks, &size);
    check("a table", dbf_open(&dbf, data, size) == 0);
    check("its fields", dbf.field_count == 2 && strcmp(dbf.fields[1].name, "SIZE") == 0 && dbf.fields[1].type == 'N');
    check("its records", dbf.count == 3 && !dbf_is_deleted(&dbf, 1) && dbf_is_deleted(&dbf, 2));
    check("a text", value_is(&dbf, 0, 0, "one") && value_is(&dbf, 2, 0, "three"));
    check("a number", value_is(&dbf, 1, 1, "20") && value_is(&dbf, 2, 1, "300"));
    dbf_free(&dbf);
}

static void test_blank_values(void)
{
    struct dbf dbf;
    size_t size;
    unsigned char *data = table("          ", 0, &size);

    check("a blank record", dbf_open(&dbf, data, size) == 0 && dbf.count == 1);
    check("blank values", value_is(&dbf, 0, 0, "") && value_is(&dbf, 0, 1, ""));
    dbf_free(&dbf);
}

static void test_empty_table(void)
{
    struct dbf dbf;
    size_t size;
    unsigned char *data = table("", 1, &size);

    check("a table without records", dbf_open(&dbf, data, size) == 0 && dbf.count == 0);
    dbf_free(&dbf);
}

/* One byte of the header is changed, or the file is cut there. */
static void test_error(const char *wanted, size_t at, int byte)
{
    struct dbf dbf;
    size_t size;
    unsigned char *data = table(" one     1", 0, &size);

    if (byte < 0)
        size = at;
    else
        data[at] = (unsigned char)byte;
    check(wanted, dbf_open(&dbf, data, size) == -1 && strcmp(dbf.error, wanted) == 0);
    dbf_free(&dbf);
}

int main(void)
{
    test_records(0);
    test_records(1);
    test_records(128);
    test_blank_values();
    test_empty_table();
    test_error("the header is cut off", 31, -1);
    test_error("the header is cut off", TABLE_HEADER - 1, -1);
    test_error("the last record is cut off", TABLE_HEADER + 9, -1);
    test_error("not a dBASE III table", 0, 'P');
    test_error("the header is cut off", 9, 0xff);
    test_error("the header does not end", 96, 'A');
    test_error("there are no fields", 32, 0x0d);
    test_error("a field has no name", 64, 0);
    test_error("a field's name is not made of letters, digits and _", 33, '\n');
    test_error("a field has an unknown type", 32 + 11, 'M');
    test_error("a field has no length", 64 + 16, 0);
    test_error("the fields are not as long as a record", 64 + 16, 4);
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
