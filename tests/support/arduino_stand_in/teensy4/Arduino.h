/* cores/teensy4 of PaulStoffregen/cores: imxrt.h */
#pragma once
#include "../arduino_api.h"

#ifdef __x86_64__
struct stand_in_reset {
    void operator=(uint32_t value);
};
extern stand_in_reset SCB_AIRCR;
#define HW_OCOTP_CFG0 0x89ABCDEFu
#define HW_OCOTP_CFG1 0x01234567u
#else
#define SCB_AIRCR (*(volatile uint32_t *)0xE000ED0C)
#define HW_OCOTP_CFG0 (*(volatile uint32_t *)0x401F4410)
#define HW_OCOTP_CFG1 (*(volatile uint32_t *)0x401F4420)
#endif
