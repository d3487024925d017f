#include "check.h"
#include "modules/quote/quote.h"

#include <string.h>

static void test(const char *name, size_t length, const char *wanted)
{
    struct line line = {0};

    line_add(&line, '>');
    quote_add(&line, name, length);
    check(wanted, line.length == strlen(wanted) + 1 && memcmp(line.data + 1, wanted, strlen(wanted)) == 0);
    line_free(&line);
}

#define TEST(name, wanted) test(name, sizeof(name) - 1, wanted)

int main(void)
{
    char long_name[500];
    struct line line = {0};
    int i;

    TEST("", "\"\"");
    TEST("plain", "plain");
    TEST("a_b.c/d:e,f+g@h%i=j-K9", "a_b.c/d:e,f+g@h%i=j-K9");
    TEST("-n", "\"-n\"");
    TEST("with space", "\"with space\"");
    TEST("it's", "\"it's\"");
    TEST("say \"a\\b\"", "\"say \\\"a\\\\b\\\"\"");
    TEST("\n\t\r", "\"\\n\\t\\r\"");
    TEST("\0\1\33\177\200\377", "\"\\000\\001\\033\\177\\200\\377\"");
    TEST("Gr\303\266\303\237e", "\"Gr\\303\\266\\303\\237e\"");

    memset(long_name, 'x', sizeof long_name);
    quote_add(&line, long_name, sizeof long_name);
    check("a long plain name", line.length == 500 && memcmp(line.data, long_name, 500) == 0);
    memset(long_name, '"', sizeof long_name);
    for (i = 0; i < 3; i++)
        quote_add(&line, long_name, sizeof long_name);
    check("long names one after the other", line.length == 500 + 3 * 1002 && memcmp(line.data + 499, "x\"\\\"", 4) == 0);
    line_free(&line);
    return result();
}
