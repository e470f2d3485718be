/* Mbed OS 6, drivers/FlashIAP.h */
#pragma once
#include <stdint.h>

namespace mbed
{
class FlashIAP
{
  public:
    int init();
    int deinit();
    int program(const void *buffer, uint32_t addr, uint32_t size);
    int erase(uint32_t addr, uint32_t size);
};
} // namespace mbed
