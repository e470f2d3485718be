/* gradmote-run: trains compiled models on a computer that runs Linux. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../failure.h"
#include "commands_run.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"train", run_train, "train a model on samples of .npy files"},
    {"eval", run_eval, "its loss and accuracy"},
    {"infer", run_infer, "its output"},
    {"info", run_info, "what this program is, and what a model takes and gives"},
    {"console", run_console, "be a board: serve the console on stdin, or to a TCP client"},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_help(void)
{
    puts(
        "gradmote-run COMMAND ...\n\nTrains neural networks in fixed memory. The model is a .mote file that `gradmote compile` writes on "
        "the host.\n");
    for (size_t i = 0; i < COMMAND_COUNT; ++i) {
        printf("  %-8s  %s\n", commands[i].name, commands[i].summary);
    }
    puts("\ngradmote-run COMMAND --help says more, with examples.");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    for (size_t i = 0; i < COMMAND_COUNT; ++i) {
        if (strcmp(name, commands[i].name) == 0) {
            return commands[i].run(argc - 2, argv + 2);
        }
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help();
        return argc > 1 ? EXIT_SUCCESS : EXIT_MISUSE;
    }
    misuse("gradmote-run --help lists them", "there is no command '%s'", name);
}
