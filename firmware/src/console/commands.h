/* The commands of docs/CONSOLE.md. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "device/device.h"

/* Executes a typed line. Prints a prompt, or begins a program, after which commands_run_ended()
 * prints it. */
void commands_execute(device *d, char *line);

/* Prints the result of a typed command's program. error: 0 or a gm_error. */
void commands_run_ended(device *d, int error);

/* Begins the next program of a `train` or `score`, or ends it after Ctrl-C. Call this after
 * requests have been answered. */
void commands_go_on(device *d);

/* Prints the prompt. */
void commands_prompt(void);

#endif
