/* For which board this firmware is: the host finds it in each file that holds the program, and programs no other board. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include "console_spec.h"

/* The mark, the board's name, and a zero byte. */
extern const char identity[sizeof CONSOLE_IDENTITY_MARK + sizeof GM_BOARD_NAME - 1u];

/* Both ask for the name here, so that the linker keeps it. */
#define IDENTITY_NAME (identity + sizeof CONSOLE_IDENTITY_MARK - 1u)

#endif
