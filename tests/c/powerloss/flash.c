#include "flash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEVER UINT32_MAX

flash the_flash;
jmp_buf flash_power_failed;

static uint32_t operations, left = NEVER, bits;
static enum flash_cut cut;

void flash_init(void)
{
    memset(&the_flash, 0, sizeof the_flash);
    memset(the_flash.cells, 0xFF, sizeof the_flash.cells);
}

void flash_wear(uint32_t *least, uint32_t *most)
{
    *least = UINT32_MAX;
    *most = 0;
    for (uint32_t unit = 0; unit < FLASH_SIZE / BOARD_ERASE_UNIT; ++unit) {
        uint32_t times = the_flash.erasures[unit];
        *least = times && times < *least ? times : *least;
        *most = times > *most ? times : *most;
    }
}

uint32_t flash_operations(void)
{
    uint32_t done = operations;
    operations = 0;
    return done;
}

void flash_cut(uint32_t number, enum flash_cut kind, uint32_t seed)
{
    left = number;
    cut = kind;
    bits = seed * 2u + 1u;
}

void flash_keep_power(void)
{
    left = NEVER;
}

void flash_rot(uint32_t byte, uint32_t bit)
{
    the_flash.cells[byte] ^= (uint8_t)(1u << bit);
}

static void misused(const char *what)
{
    printf("flash: %s\n", what);
    exit(1);
}

/* xorshift32, Marsaglia 2003 */
static uint8_t random_byte(void)
{
    bits ^= bits << 13;
    bits ^= bits >> 17;
    bits ^= bits << 5;
    return (uint8_t)(bits >> 11);
}

/* Changes cells to `wanted` as far as power lasts. */
static void change(uint8_t *cells, const uint8_t *wanted, uint32_t size)
{
    int fails = left == 0;
    enum flash_cut kind = fails ? cut : CUT_AFTER;
    for (uint32_t i = 0; i < size; ++i) {
        uint8_t reached = kind == CUT_AFTER || (kind == CUT_TORN && i < size / 2) ? 0xFF : 0;
        if (kind == CUT_WEAK) {
            reached = random_byte();
        }
        cells[i] = (uint8_t)((cells[i] & ~reached) | (wanted[i] & reached));
    }
    ++operations;
    left -= left != NEVER;
    if (fails) {
        left = NEVER;
        longjmp(flash_power_failed, 1);
    }
}

static uint32_t offset_of(const uint8_t *at, uint32_t size, uint32_t unit)
{
    uint32_t offset = (uint32_t)(at - the_flash.cells);
    if (at < the_flash.cells || offset > FLASH_SIZE || size > FLASH_SIZE - offset) {
        misused("outside of the area");
    }
    if (offset % unit || size % unit) {
        misused("not whole units");
    }
    return offset;
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    static uint8_t blank[BOARD_ERASE_UNIT];
    uint32_t start = offset_of(at, size, BOARD_ERASE_UNIT);
    memset(blank, 0xFF, sizeof blank);
    for (uint32_t offset = start; offset < start + size; offset += BOARD_ERASE_UNIT) {
        ++the_flash.erasures[offset / BOARD_ERASE_UNIT];
        memset(the_flash.written + offset / BOARD_PROGRAM_UNIT, 0, BOARD_ERASE_UNIT / BOARD_PROGRAM_UNIT);
        change(the_flash.cells + offset, blank, BOARD_ERASE_UNIT);
    }
    return 0;
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    uint32_t start = offset_of(at, size, BOARD_PROGRAM_UNIT);
    for (uint32_t done = 0; done < size; done += BOARD_PROGRAM_UNIT) {
        uint8_t *cells = the_flash.cells + start + done, wanted[BOARD_PROGRAM_UNIT];
        uint8_t *written = &the_flash.written[(start + done) / BOARD_PROGRAM_UNIT];
        if (*written) {
            misused("a unit is programmed twice");
        }
        *written = 1;
        for (uint32_t i = 0; i < BOARD_PROGRAM_UNIT; ++i) {
            wanted[i] = (uint8_t)(cells[i] & ((const uint8_t *)data)[done + i]); /* only clears bits */
        }
        change(cells, wanted, BOARD_PROGRAM_UNIT);
    }
    return memcmp(at, data, size) ? -1 : 0;
}

board_area board_flash_area(enum board_area_kind kind)
{
    board_area image = {the_flash.cells, FLASH_IMAGE_SIZE, BOARD_ERASE_UNIT};
    board_area checkpoint = {the_flash.cells + FLASH_IMAGE_SIZE, FLASH_CHECKPOINT_SIZE, BOARD_ERASE_UNIT};
    return kind == BOARD_AREA_IMAGE ? image : checkpoint;
}
