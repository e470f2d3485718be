/*
 * STMicroelectronics' core (STM32duino) on the STM32H743. The files are in the second bank of
 * flash, so that the program in the first bank keeps running while they are written. A flash word
 * has 256 bits and its own ECC: if it is written twice, it can no longer be read.
 *
 * Sources: RM0433, chapter 4 (banks, sectors of 128 KB, flash words, their ECC); STM32H7 HAL,
 * stm32h7xx_hal_flash.h and _ex.h; CMSIS, core_cm7.h (cache); the core's linker script of the
 * variant (symbols).
 */
#include <Arduino.h>
#include <string.h>

#include "../core.h"

#define BANK_2 0x08100000u

extern "C" {
extern uint8_t _sidata, _sdata, _edata;
extern uint32_t _estack;
}

core_stack core_loop_stack(void)
{
    core_stack stack = {&_estack - BOARD_STACK_SIZE / sizeof _estack, &_estack};
    return stack;
}

uint32_t core_code_size(void)
{
    return (uint32_t)((uintptr_t)&_sidata + (uintptr_t)(&_edata - &_sdata) - BOARD_FLASH_ORIGIN);
}

void core_restart(void)
{
    NVIC_SystemReset();
}

uint64_t board_unique_id(void)
{
    return (uint64_t)(HAL_GetUIDw0() + HAL_GetUIDw2()) << 32 | HAL_GetUIDw1();
}

board_area board_flash_area(enum board_area_kind kind)
{
    return core_area((const uint8_t *)(uintptr_t)BOARD_FILES_ORIGIN, kind);
}

/* The cache does not notice changes of flash. */
static void forget_cached(const uint8_t *at, uint32_t size)
{
    SCB_InvalidateDCache_by_Addr((uint32_t *)(uintptr_t)at, (int32_t)size);
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    if ((uintptr_t)at < BANK_2 || (uintptr_t)at % BOARD_ERASE_UNIT || size % BOARD_ERASE_UNIT) {
        return -1;
    }
    FLASH_EraseInitTypeDef what;
    uint32_t failed_sector;
    memset(&what, 0, sizeof what);
    what.TypeErase = FLASH_TYPEERASE_SECTORS;
    what.Banks = FLASH_BANK_2;
    what.Sector = (uint32_t)((uintptr_t)at - BANK_2) / BOARD_ERASE_UNIT;
    what.NbSectors = size / BOARD_ERASE_UNIT;
    what.VoltageRange = FLASH_VOLTAGE_RANGE_3;
    HAL_FLASH_Unlock();
    HAL_StatusTypeDef status = HAL_FLASHEx_Erase(&what, &failed_sector);
    HAL_FLASH_Lock();
    forget_cached(at, size);
    return status == HAL_OK ? 0 : -1;
}

static int is_erased(const uint32_t *word, uint32_t count)
{
    while (count != 0 && *word == 0xFFFFFFFFu) {
        ++word;
        --count;
    }
    return count == 0;
}

/* Programs one flash word. HAL_FLASH_Program() takes the address of aligned data. */
static HAL_StatusTypeDef program_word(const uint8_t *at, const uint8_t *data)
{
    static uint32_t word[BOARD_PROGRAM_UNIT / 4] __attribute__((aligned(BOARD_PROGRAM_UNIT)));
    memcpy(word, data, sizeof word);
    return HAL_FLASH_Program(FLASH_TYPEPROGRAM_FLASHWORD, (uint32_t)(uintptr_t)at, (uint32_t)(uintptr_t)word);
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    if ((uintptr_t)at % BOARD_PROGRAM_UNIT || size % BOARD_PROGRAM_UNIT ||
        !is_erased((const uint32_t *)(uintptr_t)at, size / 4)) {
        return -1;
    }
    HAL_StatusTypeDef status = HAL_OK;
    HAL_FLASH_Unlock();
    for (uint32_t done = 0; status == HAL_OK && done < size; done += BOARD_PROGRAM_UNIT) {
        status = program_word(at + done, (const uint8_t *)data + done);
    }
    HAL_FLASH_Lock();
    forget_cached(at, size);
    return status == HAL_OK && memcmp(at, data, size) == 0 ? 0 : -1;
}
