/*
 * PJRC's core for Teensy 4. The program is in a flash chip that is read in place. The core's
 * eeprom.c writes it, from code in RAM with interrupts off, and invalidates the caches. The files
 * are below its emulated EEPROM.
 *
 * Sources: cores/teensy4 of PaulStoffregen/cores: eeprom.c, imxrt1062_t41.ld (symbols, memory map),
 * imxrt.h.
 */
#include <Arduino.h>
#include <string.h>

#include "../core.h"

#define PAGE 256u /* a write must not cross a page boundary */

extern "C" {
void eepromemu_flash_write(void *addr, const void *data, uint32_t len);
void eepromemu_flash_erase_sector(void *addr);
extern unsigned long _estack;
extern unsigned long _flashimagelen; /* its address is the value */
}

core_stack core_loop_stack(void)
{
    uint32_t *top = (uint32_t *)&_estack;
    core_stack stack = {top - BOARD_STACK_SIZE / sizeof *top, top};
    return stack;
}

uint32_t core_code_size(void)
{
    return (uint32_t)(uintptr_t)&_flashimagelen;
}

void core_restart(void)
{
    SCB_AIRCR = 0x05FA0004;
    for (;;) {
    }
}

uint64_t board_unique_id(void)
{
    return (uint64_t)HW_OCOTP_CFG1 << 32 | HW_OCOTP_CFG0;
}

board_area board_flash_area(enum board_area_kind kind)
{
    return core_area((const uint8_t *)(uintptr_t)BOARD_FILES_ORIGIN, kind);
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    if ((uintptr_t)at % BOARD_ERASE_UNIT || size % BOARD_ERASE_UNIT) {
        return -1;
    }
    for (uint32_t done = 0; done < size; done += BOARD_ERASE_UNIT) {
        eepromemu_flash_erase_sector((void *)(uintptr_t)(at + done));
    }
    return 0;
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    const uint8_t *from = (const uint8_t *)data;
    for (uint32_t done = 0, count; done < size; done += count) {
        uint32_t room = PAGE - (uint32_t)((uintptr_t)(at + done) % PAGE);
        count = size - done < room ? size - done : room;
        eepromemu_flash_write((void *)(uintptr_t)(at + done), from + done, count);
    }
    return memcmp(at, data, size) ? -1 : 0;
}
