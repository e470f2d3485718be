/*
 * Earle Philhower's core for RP2040 and RP2350. The files replace the core's file system;
 * platformio.ini sets its size. Flash cannot be read while it is written, so interrupts are off for
 * one sector or page at a time. The second processor is not in use.
 *
 * Sources: Raspberry Pi Pico SDK, hardware_flash, hardware_sync, pico_unique_id;
 * earlephilhower/arduino-pico, lib/rp2040/memmap_default.ld and lib/rp2350/memmap_default.ld
 * (symbols), libraries/EEPROM (the order of calls).
 */
#include <Arduino.h>
#include <string.h>

#include <hardware/flash.h>
#include <hardware/sync.h>
#include <pico/unique_id.h>

#include "../core.h"

extern "C" {
extern uint8_t _FS_start, _FS_end;
extern uint8_t __flash_binary_start, __flash_binary_end;
extern uint32_t __StackTop;
}

core_stack core_loop_stack(void)
{
    core_stack stack = {&__StackTop - BOARD_STACK_SIZE / sizeof __StackTop, &__StackTop};
    return stack;
}

uint32_t core_code_size(void)
{
    return (uint32_t)(&__flash_binary_end - &__flash_binary_start);
}

void core_restart(void)
{
    rp2040.reboot();
}

uint64_t board_unique_id(void)
{
    pico_unique_board_id_t chip;
    uint64_t id;
    pico_get_unique_board_id(&chip);
    memcpy(&id, chip.id, sizeof id);
    return id;
}

/* Returns an empty area if the file system is too small for the files. */
board_area board_flash_area(enum board_area_kind kind)
{
    board_area none = {&_FS_start, 0, BOARD_ERASE_UNIT};
    int holds_both = &_FS_end - &_FS_start >= (long)(BOARD_IMAGE_SIZE + BOARD_CHECKPOINT_SIZE);
    return holds_both ? core_area(&_FS_start, kind) : none;
}

static uint32_t offset_of(const uint8_t *at)
{
    return (uint32_t)((uintptr_t)at - XIP_BASE);
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    if ((uintptr_t)at % BOARD_ERASE_UNIT || size % BOARD_ERASE_UNIT) {
        return -1;
    }
    for (uint32_t done = 0; done < size; done += FLASH_SECTOR_SIZE) {
        uint32_t interrupts = save_and_disable_interrupts();
        flash_range_erase(offset_of(at + done), FLASH_SECTOR_SIZE);
        restore_interrupts(interrupts);
    }
    return 0;
}

/* Programs part of a page. The rest of the page is written with ones, which leave NOR flash cells
 * unchanged. The page is copied, since the data may be in flash itself. */
static void program_in_page(const uint8_t *at, const uint8_t *data, uint32_t count)
{
    static uint8_t page[FLASH_PAGE_SIZE];
    uint32_t before = (uint32_t)((uintptr_t)at % FLASH_PAGE_SIZE);
    memset(page, 0xFF, sizeof page);
    memcpy(page + before, data, count);
    uint32_t interrupts = save_and_disable_interrupts();
    flash_range_program(offset_of(at - before), page, sizeof page);
    restore_interrupts(interrupts);
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    const uint8_t *from = (const uint8_t *)data;
    for (uint32_t done = 0, count; done < size; done += count) {
        uint32_t room = FLASH_PAGE_SIZE - (uint32_t)((uintptr_t)(at + done) % FLASH_PAGE_SIZE);
        count = size - done < room ? size - done : room;
        program_in_page(at + done, from + done, count);
    }
    return memcmp(at, data, size) ? -1 : 0;
}
