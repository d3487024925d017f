#include "check.h"
#include "modules/glob/glob.h"

#include <string.h>

static void matches(const char *pattern, const char *name)
{
    check(pattern, glob_match(pattern, name, strlen(name)));
}

static void differs(const char *pattern, const char *name)
{
    check(pattern, !glob_match(pattern, name, strlen(name)));
}

int main(void)
{
    matches("", "");
    matches("abc", "abc");
    differs("abc", "ab");
    differs("ab", "abc");
    matches("*", "");
    matches("*.c", "a/b.c");
    differs("*.c", "a.c.h");
    matches("*a*b*", "xxaxxaxbx");
    differs("*a*b", "xaxbx");
    matches("a**", "a");
    matches("?", "\377");
    differs("?", "");
    matches("[a-c]x[!a-c]", "bxd");
    differs("[a-c]x[!a-c]", "bxb");
    matches("[]x]", "]");
    matches("[!]]", "x");
    matches("[a-]", "-");
    matches("[\200-\377]", "\303");
    matches("[", "[");
    matches("[!", "[!");
    matches("[abc", "[abc");
    matches("*[", "a[");
    differs("[]", "]");
    return result();
}
