/*
 * Flash of the nRF51 (Reference Manual, "NVMC"): 1 KB pages, and words that can be written once
 * after an erase. The core stalls meanwhile, 21 ms per page, and would lose bytes that arrive. But
 * the host waits for its answer.
 */
#include <string.h>

#include "board.h"
#include "cortex_m/cortex_m.h"

#define NVMC_READY REGISTER(0x4001E400u)
#define NVMC_CONFIG REGISTER(0x4001E504u)
#define NVMC_ERASEPAGE REGISTER(0x4001E508u)
#define CONFIG_READ 0u
#define CONFIG_WRITE 1u
#define CONFIG_ERASE 2u

static void configure(uint32_t what)
{
    NVMC_CONFIG = what;
    while (NVMC_READY == 0) {
    }
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    uint32_t page = (uint32_t)(uintptr_t)at;
    if (page % BOARD_ERASE_UNIT || size % BOARD_ERASE_UNIT) {
        return -1;
    }
    for (uint32_t end = page + size; page < end; page += BOARD_ERASE_UNIT) {
        configure(CONFIG_ERASE);
        NVMC_ERASEPAGE = page;
        configure(CONFIG_READ);
    }
    return 0;
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    uint32_t word;
    if ((uintptr_t)at % 4 || size % 4) {
        return -1;
    }
    configure(CONFIG_WRITE);
    for (uint32_t i = 0; i < size; i += 4) {
        memcpy(&word, (const uint8_t *)data + i, 4);
        REGISTER((uintptr_t)at + i) = word;
        configure(CONFIG_WRITE);
    }
    configure(CONFIG_READ);
    return memcmp(at, data, size) ? -1 : 0;
}
