/*
 * Arduino's core for boards with Mbed OS, on the nRF52840. The files are at the end of its flash,
 * above bootloader and program.
 *
 * Sources: Mbed OS 6, drivers/FlashIAP.h; CMSIS-RTOS2 RTX5, rtx_os.h (osRtxThread_t; the first word
 * of a stack is its guard); nRF52840 Product Specification, FICR; the linker script of variant
 * ARDUINO_NANO33BLE (symbols).
 */
#include <Arduino.h>
#include <FlashIAP.h>
#include <nrf.h>
#include <rtx_os.h>
#include <string.h>

#include "../core.h"

#define GUARD_WORDS 2

extern "C" {
extern uint8_t __etext, __data_start__, __data_end__;
}

static mbed::FlashIAP flash;

core_stack core_loop_stack(void)
{
    const osRtxThread_t *thread = (const osRtxThread_t *)osThreadGetId();
    uint32_t *bottom = (uint32_t *)thread->stack_mem;
    core_stack stack = {bottom + GUARD_WORDS, bottom + thread->stack_size / sizeof *bottom};
    return stack;
}

/* Counts from the end of the bootloader. */
uint32_t core_code_size(void)
{
    return (uint32_t)((uintptr_t)&__etext + (uintptr_t)(&__data_end__ - &__data_start__) - BOARD_FLASH_ORIGIN);
}

void core_restart(void)
{
    NVIC_SystemReset();
}

uint64_t board_unique_id(void)
{
    return (uint64_t)NRF_FICR->DEVICEID[1] << 32 | NRF_FICR->DEVICEID[0];
}

board_area board_flash_area(enum board_area_kind kind)
{
    return core_area((const uint8_t *)(uintptr_t)BOARD_FILES_ORIGIN, kind);
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    if (flash.init() != 0) {
        return -1;
    }
    int error = flash.erase((uint32_t)(uintptr_t)at, size);
    flash.deinit();
    return error == 0 ? 0 : -1;
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    if (flash.init() != 0) {
        return -1;
    }
    int error = flash.program(data, (uint32_t)(uintptr_t)at, size);
    flash.deinit();
    return error == 0 && memcmp(at, data, size) == 0 ? 0 : -1;
}
