/* Raspberry Pi Pico SDK, src/rp2_common/hardware_flash */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define XIP_BASE 0x10000000
#define FLASH_PAGE_SIZE (1u << 8)
#define FLASH_SECTOR_SIZE (1u << 12)

#ifdef __cplusplus
extern "C" {
#endif
void flash_range_erase(uint32_t flash_offs, size_t count);
void flash_range_program(uint32_t flash_offs, const uint8_t *data, size_t count);
#ifdef __cplusplus
}
#endif
