#include "storage/flash_writer.h"

#include <string.h>

#include "board.h"
#include "console_spec.h"

#define UNIT BOARD_PROGRAM_UNIT

/* The program unit being filled. */
static struct {
    const uint8_t *next; /* address of the byte after the last one */
    uint32_t filled;     /* bytes of the unit so far; 0: nothing waits */
    uint32_t words[UNIT / 4];
} waiting;

static int program(const uint8_t *at, const void *data, uint32_t size)
{
    return size != 0 && board_flash_program(at, data, size) ? CONSOLE_ERR_FLASH : 0;
}

void writer_begin(void)
{
    waiting.filled = 0;
}

int writer_end(void)
{
    const uint8_t *unit = waiting.next - waiting.filled;
    uint32_t filled = waiting.filled;
    waiting.filled = 0;
    return filled != 0 ? program(unit, waiting.words, UNIT) : 0;
}

/* Puts bytes into the unit that contains `at`, and programs the unit once it is full. */
static int fill(const uint8_t *at, const uint8_t *data, uint32_t count)
{
    if (count == 0) {
        return 0;
    }
    if (waiting.filled == 0) {
        memset(waiting.words, 0xFF, sizeof waiting.words);
        waiting.filled = (uint32_t)((uintptr_t)at % UNIT);
    }
    memcpy((uint8_t *)waiting.words + waiting.filled, data, count);
    waiting.filled += count;
    waiting.next = at + count;
    return waiting.filled == UNIT ? writer_end() : 0;
}

int writer_put(const uint8_t *at, const void *data, uint32_t count)
{
    const uint8_t *from = data;
    uint32_t before = (uint32_t)((uintptr_t)at % UNIT);
    uint32_t first = before == 0 ? 0 : UNIT - before < count ? UNIT - before : count;
    uint32_t whole = (count - first) / UNIT * UNIT;
    int error = waiting.filled != 0 && at != waiting.next ? writer_end() : 0;
    if (error == 0) {
        error = fill(at, from, first);
    }
    if (error == 0) {
        error = program(at + first, from + first, whole);
    }
    return error ? error : fill(at + first + whole, from + first + whole, count - first - whole);
}
