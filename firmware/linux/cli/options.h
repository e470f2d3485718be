/* The options of a command, as a table for the parser and for --help. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdint.h>

#define FILES_LIMIT 16u /* of one role: as many as the console allows */

typedef struct file_list {
    uint32_t count;
    const char *paths[FILES_LIMIT];
} file_list;

enum option_kind { OPTION_TEXT, OPTION_FILES, OPTION_U32, OPTION_SIZE, OPTION_REAL };

typedef struct option {
    const char *name;  /* with its dashes; NULL ends the table */
    enum option_kind kind;
    void *value;       /* const char *, file_list, uint32_t (U32 and SIZE) or float; holds the default */
    const char *argument;
    const char *help;  /* lines of it separated by '\n' */
    int *given;        /* set to 1 if the option is given; or NULL */
} option;

/* One command of the program. */
typedef struct command {
    const char *name;
    const char *summary;  /* one line */
    const char *usage;    /* what follows the command's name */
    const char *about;    /* paragraphs of --help: examples, exit codes */
    const option *options;
} command;

/* Parses the arguments after the command's name. Options may come anywhere; the rest goes to
 * `positional`, at least `least` and at most `most` of them, followed by NULL. Exits after --help
 * and on errors. */
void options_parse(const command *of, int argc, char **argv, const char **positional, int least, int most);

#endif
