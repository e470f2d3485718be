/* Command-line options of the board that this process is. */
#ifndef LINUX_BOARD_H
#define LINUX_BOARD_H

#include <stdint.h>

typedef struct linux_board {
    const char *listen; /* HOST:PORT for one TCP client at a time; NULL: stdin and stdout */
    const char *state;  /* folder of model.mote, checkpoint.gmck and base.gmck; NULL: no storage */
    uint32_t arena;     /* bytes; 0: half of the computer's memory */
} linux_board;

/* Serves the console until stdin ends or a signal comes. */
void linux_board_serve(const linux_board *options) __attribute__((noreturn));

#endif
