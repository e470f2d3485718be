/* The line that a person types, and its echo. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include "device/device.h"

/* Prints what was started, and the first prompt. */
void console_greet(const device *d);

/* Takes one typed character. */
void console_type(device *d, char c);

/* Executes a line that is complete. It waits for the end of an idle training step, and of a typed
 * command. */
void console_execute(device *d);

#endif
