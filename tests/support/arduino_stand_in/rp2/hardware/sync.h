/* Raspberry Pi Pico SDK, src/rp2_common/hardware_sync; there the two are inline */
#pragma once
#include <stdint.h>

uint32_t save_and_disable_interrupts(void);
void restore_interrupts(uint32_t status);
