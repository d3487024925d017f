#include <stdio.h>

static int failures;

static void check(const char *name, int passed)
{
    if (!passed) {
        printf("FAIL %s\n", name);
        failures++;
    }
}

static int result(void)
{
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
