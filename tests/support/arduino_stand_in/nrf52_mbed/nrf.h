/* Nordic's MDK, nrf52840.h, and CMSIS */
#pragma once
#include <stdint.h>

typedef struct {
    const volatile uint32_t DEVICEID[2];
} NRF_FICR_Type;

#ifdef __x86_64__
extern const NRF_FICR_Type stand_in_ficr;
#define NRF_FICR (&stand_in_ficr)
void NVIC_SystemReset(void) __attribute__((noreturn));
#else
#define NRF_FICR ((NRF_FICR_Type *)0x10000060UL)
extern "C" void NVIC_SystemReset(void) __attribute__((noreturn));
#endif
