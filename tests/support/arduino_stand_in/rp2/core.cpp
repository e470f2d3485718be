#include "Arduino.h"

#include <string.h>

#include "../host.h"
#include "hardware/flash.h"
#include "hardware/sync.h"
#include "pico/unique_id.h"

LINKER_SYMBOL(__flash_binary_start, "0x10000000");
LINKER_SYMBOL(__flash_binary_end, "0x10012345");
LINKER_SYMBOL(_FS_start, "0x100FF000");
LINKER_SYMBOL(_FS_end, "0x102FF000");

const host_flash flash_chip = {0x100FF000, 0x200000};
RP2040 rp2040;
static int interrupts_are_off;

void RP2040::reboot()
{
    host_restart();
}

uint32_t save_and_disable_interrupts(void)
{
    interrupts_are_off = 1;
    return 42;
}

void restore_interrupts(uint32_t status)
{
    if (status != 42) {
        host_fail("interrupts: not what was saved");
    }
    interrupts_are_off = 0;
}

void flash_range_erase(uint32_t flash_offs, size_t count)
{
    if (!interrupts_are_off) {
        host_fail("flash: read while it is erased");
    }
    host_erase(XIP_BASE + flash_offs, (uint32_t)count, FLASH_SECTOR_SIZE);
}

/* Flash cannot be read meanwhile, so `data` must not lie in it. */
void flash_range_program(uint32_t flash_offs, const uint8_t *data, size_t count)
{
    uintptr_t from = (uintptr_t)data;
    if (!interrupts_are_off || (from >= flash_chip.base && from < flash_chip.base + flash_chip.size)) {
        host_fail("flash: read while it is written");
    }
    host_program(XIP_BASE + flash_offs, data, (uint32_t)count, FLASH_PAGE_SIZE);
}

void pico_get_unique_board_id(pico_unique_board_id_t *id_out)
{
    const uint64_t id = 0x0123456789ABCDEFu;
    memcpy(id_out->id, &id, sizeof id);
}
