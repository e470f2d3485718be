/* Counting checks: a failed one names its place and the run goes on. Each test program includes this once. */
#ifndef CHECKS_H
#define CHECKS_H

#include <stdio.h>

static unsigned long checks_passed, checks_failed;

#define CHECK(condition) check((condition) != 0, __FILE__, __LINE__, #condition)
#define CHECK_STATUS(expected, call) check_status((expected), (call), __FILE__, __LINE__, #call)

static inline int check(int holds, const char *file, int line, const char *text)
{
    if (holds) {
        ++checks_passed;
    } else {
        ++checks_failed;
        printf("%s:%d: failed: %s\n", file, line, text);
    }
    return holds;
}

static inline int check_status(int expected, int status, const char *file, int line, const char *text)
{
    if (status != expected) {
        printf("%s:%d: %s returned %d instead of %d\n", file, line, text, status, expected);
    }
    return check(status == expected, file, line, text);
}

static inline int checks_summary(void)
{
    printf("%lu passed, %lu failed\n", checks_passed, checks_failed);
    return checks_failed == 0 ? 0 : 1;
}

#endif
