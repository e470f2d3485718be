/* The line that the user types, and its echo. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include "device/device.h"

/* Prints the firmware's greeting and the first prompt. */
void console_greet(const device *d);

/* Handles one typed character. */
void console_type(device *d, char c);

/* Executes a complete line. It waits for the end of an idle training step or of a typed command. */
void console_execute(device *d);

#endif
