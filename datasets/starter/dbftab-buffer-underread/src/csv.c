#include "dbf.h"

#include <string.h>

/* RFC 4180: quotes where they are needed. */
static void print_text(FILE *out, const char *text, size_t length)
{
    size_t i;
    int quoted = 0;

    for (i = 0; i < length; i++)
        quoted |= strchr("\",\r\n", text[i]) != NULL && text[i] != '\0';
    if (!quoted) {
        fwrite(text, 1, length, out);
        return;
    }
    putc('"', out);
    for (i = 0; i < length; i++) {
        if (text[i] == '"')
            putc('"', out);
        putc(text[i], out);
    }
    putc('"', out);
}

/* 19940528 is 1994-05-28; whatever is no date is printed as it is. */
static void print_date(FILE *out, const char *text, size_t length)
{
    size_t digits = 0;

    while (digits < length && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    if (length == 8 && digits == 8)
        fprintf(out, "%.4s-%.2s-%.2s", text, text + 4, text + 6);
    else
        print_text(out, text, length);
}

static void print_logical(FILE *out, const char *text, size_t length)
{
    if (length == 1 && strchr("TtYy", *text) != NULL)
        fputs("true", out);
    else if (length == 1 && strchr("FfNn", *text) != NULL)
        fputs("false", out);
}

static void print_value(FILE *out, char type, const char *text, size_t length)
{
    if (type == 'D')
        print_date(out, text, length);
    else if (type == 'L')
        print_logical(out, text, length);
    else
        print_text(out, text, length);
}

void csv_print(FILE *out, const struct dbf *dbf)
{
    size_t record, i, length;

    for (i = 0; i < dbf->field_count; i++)
        fprintf(out, "%s%s", i == 0 ? "" : ",", dbf->fields[i].name);
    putc('\n', out);
    for (record = 0; record < dbf->count; record++) {
        if (dbf_is_deleted(dbf, record))
            continue;
        for (i = 0; i < dbf->field_count; i++) {
            const char *value = dbf_value(dbf, record, &dbf->fields[i], &length);

            if (i > 0)
                putc(',', out);
            print_value(out, dbf->fields[i].type, value, length);
        }
        putc('\n', out);
    }
}
