/* What a person types: the line and its echo. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include "device/device.h"

/* Says what was started and shows the first prompt. */
void console_greet(const device *d);

/* Takes one typed character. */
void console_type(device *d, char c);

/* Executes a whole line, once no idle training step runs, and not between two programs of a typed command. */
void console_execute(device *d);

#endif
