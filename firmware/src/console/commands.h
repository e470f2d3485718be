/* The commands of docs/CONSOLE.md. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "device/device.h"

/* Runs one typed line. Ends with a prompt, or starts a program and leaves that to commands_run_ended(). */
void commands_execute(device *d, char *line);

/* Prints the result of a program. */
void commands_run_ended(device *d, int error);

/* Begins the next program of a `train` or `score`, or ends it after Ctrl-C. To be called when requests have been served. */
void commands_go_on(device *d);

void commands_prompt(void);

#endif
