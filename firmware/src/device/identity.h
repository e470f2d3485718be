/* The name of the board that this firmware is for. The host looks for it in a program file, and
 * refuses to write that file to another board. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include "console_spec.h"

/* The mark, the board's name, and a zero byte. */
extern const char identity[sizeof CONSOLE_IDENTITY_MARK + sizeof GM_BOARD_NAME - 1u];

/* Only the name. INFO and `info` read it here, so that the linker keeps the mark before it. */
#define IDENTITY_NAME (identity + sizeof CONSOLE_IDENTITY_MARK - 1u)

#endif
