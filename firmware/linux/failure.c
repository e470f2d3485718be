#include "failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console_spec.h"
#include "gradmote.h"

static void report(const char *hint, const char *format, va_list arguments)
{
    fputs("error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    if (hint != NULL && *hint != '\0') {
        fprintf(stderr, " hint: %s\n", hint);
    }
}

void fail(const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(hint, format, arguments);
    va_end(arguments);
    exit(EXIT_REFUSED);
}

void fail_code(int code, const char *what)
{
    fail(console_error_hint(code), "%s: %s (%d)", what, console_error_text(code), code);
}

void fail_errno(const char *path)
{
    fail(NULL, "%s: %s", path, strerror(errno));
}

void misuse(const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(hint, format, arguments);
    va_end(arguments);
    exit(EXIT_MISUSE);
}
