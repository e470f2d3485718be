#include "Arduino.h"
#include "../host.h"

LINKER_SYMBOL(_flashimagelen, "0x12345");

const host_flash flash_chip = {0x60600000, 0x1C0000};
stand_in_reset SCB_AIRCR;

void stand_in_reset::operator=(uint32_t value)
{
    value == 0x05FA0004 ? host_restart() : host_fail("SCB_AIRCR: not a reset");
}

extern "C" void eepromemu_flash_write(void *addr, const void *data, uint32_t len)
{
    if ((uintptr_t)addr / 256 != ((uintptr_t)addr + len - 1) / 256) {
        host_fail("flash: a write over the end of a page");
    }
    host_program((uintptr_t)addr, data, len, 1);
}

extern "C" void eepromemu_flash_erase_sector(void *addr)
{
    host_erase((uintptr_t)addr, 4096, 4096);
}
