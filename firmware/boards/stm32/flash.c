/*
 * Flash of the STM32F1 (PM0063) and F4 (RM0090 and RM0390, "Embedded Flash memory interface"): the
 * same registers, with different bits. The core stalls when it fetches from busy flash. Reading
 * back detects an emulator without a flash controller.
 */
#include <string.h>

#include "board.h"
#include "cortex_m/cortex_m.h"
#include "stm32.h"

#define FLASH_KEYR REGISTER(BOARD_FLASH_REGISTERS + 0x04u)
#define FLASH_SR REGISTER(BOARD_FLASH_REGISTERS + 0x0Cu)
#define FLASH_CR REGISTER(BOARD_FLASH_REGISTERS + 0x10u)
#define KEY_1 0x45670123u
#define KEY_2 0xCDEF89ABu
#define LONGEST_MS 5000u /* the largest sector of an F4 at the lowest supply takes 4 s */

int stm32_flash_is_done(void)
{
    synchronize();
    return stm32_await(&FLASH_SR, stm32_flash.busy, 0, LONGEST_MS) && (FLASH_SR & stm32_flash.failed) == 0;
}

static void unlock(void)
{
    if (FLASH_CR & stm32_flash.lock) {
        FLASH_KEYR = KEY_1;
        FLASH_KEYR = KEY_2;
    }
    FLASH_SR = stm32_flash.failed;
}

static int is_erased(const uint8_t *at, uint32_t size)
{
    for (uint32_t i = 0; i < size; ++i) {
        if (at[i] != 0xFF) {
            return 0;
        }
    }
    return 1;
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    if ((uintptr_t)at % BOARD_ERASE_UNIT || size % BOARD_ERASE_UNIT) {
        return -1;
    }
    int done = 1;
    unlock();
    for (uint32_t offset = 0; done && offset < size; offset += BOARD_ERASE_UNIT) {
        done = stm32_flash_erase((uint32_t)(uintptr_t)at + offset) && is_erased(at + offset, BOARD_ERASE_UNIT);
    }
    FLASH_CR = stm32_flash.lock;
    return done ? 0 : -1;
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    uint32_t word;
    if ((uintptr_t)at % 4 || size % 4) {
        return -1;
    }
    int done = 1;
    unlock();
    for (uint32_t i = 0; done && i < size; i += 4) {
        memcpy(&word, (const uint8_t *)data + i, 4);
        done = stm32_flash_write((uint32_t)(uintptr_t)at + i, word);
    }
    FLASH_CR = stm32_flash.lock;
    return done && memcmp(at, data, size) == 0 ? 0 : -1;
}
