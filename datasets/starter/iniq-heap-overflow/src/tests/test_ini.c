#define _POSIX_C_SOURCE 200809L

#include "ini.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

/* What `section.key` is in a file with this content: a value, or "!" and the error. The caller frees it. */
static char *lookup(const char *content, const char *section, const char *key)
{
    struct ini ini;
    struct text result = {0};
    FILE *in = fmemopen((void *)content, strlen(content), "r");
    const char *value;

    if (ini_read(&ini, in) != 0 || ini_expand(&ini) != 0) {
        text_add_char(&result, '!');
        for (value = ini.error; *value != '\0'; value++)
            text_add_char(&result, *value);
    } else {
        value = ini_get(&ini, section, key);
        for (value = value == NULL ? "(none)" : value; *value != '\0'; value++)
            text_add_char(&result, *value);
    }
    fclose(in);
    ini_free(&ini);
    return text_take(&result);
}

static void expect(const char *name, const char *content, const char *section, const char *key, const char *wanted)
{
    char *got = lookup(content, section, key);

    if (strcmp(got, wanted) != 0) {
        printf("FAIL %s\n  wanted %s\n  got    %s\n", name, wanted, got);
        failures++;
    } else {
        printf("ok   %s\n", name);
    }
    free(got);
}

static void test_values(void)
{
    expect("a plain value", "[a]\nx = 1\n", "a", "x", "1");
    expect("no section", "x=1\n", "", "x", "1");
    expect("an entry that is not there", "[a]\nx = 1\n", "a", "y", "(none)");
    expect("white space around does not count", "[a]\n  x \t=  one two  \n", "a", "x", "one two");
    expect("a comment ends the value", "[a]\nx = 1 ; one\n", "a", "x", "1");
    expect("quotes keep white space", "[a]\nx = \"  1 ; one \"\n", "a", "x", "  1 ; one ");
    expect("escapes in quotes", "[a]\nx = \"a\\tb\\n\\\"c\\\\\"\n", "a", "x", "a\tb\n\"c\\");
    expect("a line goes on", "[a]\nx = one \\\n  two\n", "a", "x", "one   two");
    expect("a line end of two characters", "[a]\r\nx = 1\r\n", "a", "x", "1");
    expect("the later entry counts", "[a]\nx = 1\n[b]\nx = 2\n[a]\nx = 3\n", "a", "x", "3");
    expect("an empty value", "[a]\nx =\n", "a", "x", "");
}

static void test_references(void)
{
    expect("another entry of the section", "[a]\nx = 1\ny = <${x}>\n", "a", "y", "<1>");
    expect("an entry of another section", "[a]\nx = 1\n[b]\ny = ${a.x}${a.x}\n", "b", "y", "11");
    expect("an entry that comes later", "[a]\ny = ${x}\nx = 1\n", "a", "y", "1");
    expect("through several entries", "[a]\nx = ${y}/x\ny = ${z}/y\nz = /z\n", "a", "x", "/z/y/x");
    expect("a dollar sign", "[a]\nx = $$5 $6\n", "a", "x", "$5 $6");
    expect("an empty one", "[a]\nx =\ny = (${x})\n", "a", "y", "()");
}

static void test_errors(void)
{
    expect("a section without end", "[a\n", "a", "x", "!a section is [name]");
    expect("a line that is no entry", "[a]\nx 1\n", "a", "x", "!an entry is key = value");
    expect("an open quote", "[a]\nx = \"1\n", "a", "x", "!a quote is not closed");
    expect("an unknown reference", "[a]\nx = ${y}\n", "a", "x", "!a.x: refers to an entry that is not there");
    expect("a reference to itself", "[a]\nx = ${y}\ny = ${x}\n", "a", "x", "!a.y: refers to itself");
    expect("an open reference", "[a]\nx = ${y\n", "a", "x", "!a.x: a reference is ${key} or ${section.key}");
}

int main(void)
{
    test_values();
    test_references();
    test_errors();
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
