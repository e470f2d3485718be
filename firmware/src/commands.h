/* The commands of docs/CONSOLE.md. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "device.h"

/* Runs one typed line. Ends with a prompt, or starts a program and leaves that to commands_run_ended(). */
void commands_execute(device *d, char *line);

/* Prints the result of a program, and starts the next one of a `train`. */
void commands_run_ended(device *d, int error);

void commands_prompt(void);

/* The text of an error, and its hint. */
void commands_print_error(int error);

#endif
