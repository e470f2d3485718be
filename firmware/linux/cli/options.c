#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../failure.h"

#define NAME_WIDTH 22

/* ---- Help --------------------------------------------------------------------------------------------------- */

static void print_option(const option *o)
{
    char left[64];
    const char *text = o->help;
    snprintf(left, sizeof left, "%s %s", o->name, o->argument);
    do {
        const char *end = strchr(text, '\n');
        int length = end != NULL ? (int)(end - text) : (int)strlen(text);
        printf("  %-*s %.*s\n", NAME_WIDTH, left, length, text);
        left[0] = '\0';
        text = end != NULL ? end + 1 : NULL;
    } while (text != NULL);
}

static void print_help(const command *of)
{
    printf("gradmote-run %s %s\n\n%s\n", of->name, of->usage, of->summary);
    if (of->options->name != NULL) {
        printf("\n");
    }
    for (const option *o = of->options; o->name != NULL; ++o) {
        print_option(o);
    }
    printf("\n%s", of->about);
    exit(EXIT_SUCCESS);
}

/* ---- Values ------------------------------------------------------------------------------------------------- */

static void bad_value(const option *o, const char *text, const char *wanted)
{
    misuse(wanted, "%s does not take '%s'", o->name, text);
}

static uint32_t parse_u32(const option *o, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    int suffix = o->kind == OPTION_SIZE && *end != '\0' ? *end++ : '\0';
    unsigned shift = suffix == 'K' ? 10 : suffix == 'M' ? 20 : suffix == 'G' ? 30 : 0;
    int known = suffix == '\0' || shift != 0;
    if (errno || *text < '0' || *text > '9' || *end != '\0' || !known || value > (UINT32_MAX >> shift)) {
        bad_value(o, text,
                  o->kind == OPTION_SIZE ? "write bytes, or 512K, 64M, 1G; 4G is too much"
                                         : "write a whole number from 0 to 4294967295");
    }
    return (uint32_t)(value << shift);
}

static float parse_real(const option *o, const char *text)
{
    char *end;
    float value = (float)strtod(text, &end);
    if (end == text || *end != '\0') {
        bad_value(o, text, "write a number: 0.01");
    }
    return value;
}

static void add_file(const option *o, const char *text)
{
    file_list *list = o->value;
    if (list->count == FILES_LIMIT) {
        misuse("no model takes more", "%s is given more than %u times", o->name, FILES_LIMIT);
    }
    list->paths[list->count++] = text;
}

static void take(const option *o, const char *text)
{
    switch (o->kind) {
    case OPTION_TEXT: *(const char **)o->value = text; break;
    case OPTION_FILES: add_file(o, text); break;
    case OPTION_U32:
    case OPTION_SIZE: *(uint32_t *)o->value = parse_u32(o, text); break;
    case OPTION_REAL: *(float *)o->value = parse_real(o, text); break;
    }
    if (o->given != NULL) {
        *o->given = 1;
    }
}

/* ---- Arguments ---------------------------------------------------------------------------------------------- */

static const option *find(const command *of, const char *name, size_t length)
{
    for (const option *o = of->options; o->name != NULL; ++o) {
        if (strncmp(o->name, name, length) == 0 && o->name[length] == '\0') {
            return o;
        }
    }
    misuse(NULL, "%s has no option '%.*s' - gradmote-run %s --help lists them", of->name, (int)length, name, of->name);
}

/* Takes "--name value" or "--name=value". Returns the number of arguments. */
static int take_option(const command *of, int left, char **argv)
{
    size_t length = strcspn(argv[0], "=");
    const option *o = find(of, argv[0], length);
    if (argv[0][length] == '=') {
        take(o, argv[0] + length + 1);
        return 1;
    }
    if (left < 2) {
        misuse(NULL, "%s needs a value: %s %s", o->name, o->name, o->argument);
    }
    take(o, argv[1]);
    return 2;
}

void options_parse(const command *of, int argc, char **argv, const char **positional, int least, int most)
{
    int count = 0;
    for (int i = 0; i < most; ++i) {
        positional[i] = NULL;
    }
    for (int i = 0; i < argc;) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(of);
        } else if (argv[i][0] == '-') {
            i += take_option(of, argc - i, argv + i);
        } else if (count == most) {
            misuse(NULL, "'%s' is one argument too many - gradmote-run %s %s", argv[i], of->name, of->usage);
        } else {
            positional[count++] = argv[i++];
        }
    }
    if (count < least) {
        misuse(NULL, "an argument is missing - gradmote-run %s %s", of->name, of->usage);
    }
}
