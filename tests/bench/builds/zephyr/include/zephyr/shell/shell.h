/* Stands in for Zephyr's shell: stand_in.c reads the commands. */
#ifndef STAND_IN_SHELL_H
#define STAND_IN_SHELL_H

#include <zephyr/kernel.h>

struct shell {
    int unused;
};
typedef int (*shell_command)(const struct shell *sh, size_t argc, char **argv);

void stand_in_add(const char *name, shell_command command, size_t mandatory, size_t optional);
unsigned long shell_strtoul(const char *text, int base, int *error);

#define shell_print(sh, ...) ((void)(sh), printf(__VA_ARGS__), putchar('\n'))
#define shell_error shell_print
#define SHELL_SUBCMD_ADD(set, name, subcommands, help, command, mandatory, optional) \
    __attribute__((constructor)) static void add_##name(void)                        \
    {                                                                                \
        stand_in_add(#name, command, mandatory, optional);                           \
    }                                                                                \
    extern int ends_with_a_semicolon
#define SHELL_SUBCMD_SET_CREATE(name, set) extern int ends_with_a_semicolon
#define SHELL_CMD_REGISTER(name, subcommands, help, command) extern int ends_with_a_semicolon

#endif
