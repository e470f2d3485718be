#include "Arduino.h"
#include "../host.h"
#include "FlashIAP.h"
#include "nrf.h"
#include "rtx_os.h"

#define MAIN_STACK 0x8000u

LINKER_SYMBOL(__etext, "0x22000");
LINKER_SYMBOL(__data_start__, "0x20000000");
LINKER_SYMBOL(__data_end__, "0x20000345");

const host_flash flash_chip = {0xA0000, 0x60000};
const NRF_FICR_Type stand_in_ficr = {{0x89ABCDEFu, 0x01234567u}};
static int is_open;

void NVIC_SystemReset(void)
{
    host_restart();
}

osThreadId_t osThreadGetId(void)
{
    static osRtxThread_t main_thread = {stack_memory + HOST_STACK - MAIN_STACK, MAIN_STACK};
    return &main_thread;
}

int mbed::FlashIAP::init()
{
    is_open += 1;
    return 0;
}

int mbed::FlashIAP::deinit()
{
    is_open -= 1;
    return 0;
}

int mbed::FlashIAP::program(const void *buffer, uint32_t addr, uint32_t size)
{
    is_open == 1 ? host_program(addr, buffer, size, 4) : host_fail("FlashIAP: not open");
    return 0;
}

int mbed::FlashIAP::erase(uint32_t addr, uint32_t size)
{
    is_open == 1 ? host_erase(addr, size, 4096) : host_fail("FlashIAP: not open");
    return 0;
}
