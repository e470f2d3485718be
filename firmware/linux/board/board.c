/* This process as a board: implements board.h on Linux. */
#include "board.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../interrupt.h"
#include "arena.h"
#include "checkpoint_file.h"
#include "firmware.h"
#include "flash.h"
#include "line.h"
#include "linux_board.h"
#include "storage.h"

#define SLEEP_MS 10

static jmp_buf at_reset;

/* A reset restarts here: the line stays connected, and everything else comes from storage. */
void linux_board_serve(const linux_board *options)
{
    interrupt_catch();
    arena_open(options->arena);
    storage_open(options->state);
    line_open(options->listen);
    (void)setjmp(at_reset);
    firmware_start();
    for (;;) {
        firmware_poll();
    }
}

void board_init(void)
{
    flash_open();
    checkpoint_file_open();
}

void board_reset(void)
{
    line_flush();
    longjmp(at_reset, 1);
}

int board_uart_get(void)
{
    return line_get();
}

void board_uart_put(uint8_t byte)
{
    line_put(byte);
}

void board_sleep(void)
{
    line_wait(SLEEP_MS);
}

uint32_t board_ticks(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * BOARD_TICKS_PER_SECOND + (uint64_t)now.tv_nsec / 1000);
}

/* Returns the serial number that most single-board computers have in their device tree. */
uint64_t board_unique_id(void)
{
    char text[17] = "";
    FILE *file = fopen("/proc/device-tree/serial-number", "rb");
    if (file != NULL) {
        (void)!fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    return strtoull(text, NULL, 16);
}
