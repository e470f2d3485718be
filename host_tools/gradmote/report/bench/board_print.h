/* Text on the line of an emulated board, for what reads "name value" lines until "done". */
#ifndef BOARD_PRINT_H
#define BOARD_PRINT_H

#include "board.h"

static inline void print(const char *text)
{
    while (*text != '\0') {
        board_uart_put((uint8_t)*text++);
    }
}

static inline void print_number(const char *name, uint32_t value)
{
    char digits[11];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    print(name);
    print(" ");
    print(at);
    print("\n");
}

#endif
