/*
 * Clocks, pins and flash controller of the STM32F100. RM0041, "Reset and clock control" and
 * "General-purpose and alternate-function I/Os"; PM0063, "Programming the Flash memory".
 */
#include "board.h"
#include "cortex_m/cortex_m.h"
#include "stm32/stm32.h"

#define RCC_CR REGISTER(0x40021000u)
#define RCC_CFGR REGISTER(0x40021004u)
#define RCC_APB2ENR REGISTER(0x40021018u)
#define CR_HSE_ON (1u << 16)
#define CR_HSE_READY (1u << 17)
#define CR_PLL_ON (1u << 24)
#define CR_PLL_READY (1u << 25)
#define CFGR_SWITCH_TO_PLL 2u
#define CFGR_STATUS (3u << 2)
#define CFGR_STATUS_PLL (2u << 2)
#define CFGR_PLL_FROM_HSE (1u << 16)
#define CFGR_PLL_TIMES(n) (((n) - 2u) << 18)
#define APB2_PORT_A (1u << 2)
#define APB2_USART1 (1u << 14)
#define READY_MS 5u

#define GPIOA_CRH REGISTER(0x40010804u)
#define GPIOA_ODR REGISTER(0x4001080Cu)
#define PIN_9_AND_10 (0xFFu << 4)
#define PIN_9_SENDS (0x9u << 4)       /* alternate function, push-pull, 10 MHz */
#define PIN_10_RECEIVES (0x8u << 8)   /* input, pulled to the level in ODR */
#define PIN_10 (1u << 10)

#define FLASH_AR REGISTER(BOARD_FLASH_REGISTERS + 0x14u)
#define FLASH_CR REGISTER(BOARD_FLASH_REGISTERS + 0x10u)
#define CR_PROGRAM (1u << 0)
#define CR_ERASE_PAGE (1u << 1)
#define CR_START (1u << 6)
#define CR_LOCK (1u << 7)
#define SR_BUSY (1u << 0)
#define SR_FAILED (1u << 2 | 1u << 4) /* not erased, write-protected */

const stm32_flash_bits stm32_flash = {SR_BUSY, SR_FAILED, CR_LOCK};

int stm32_has_clock_control(void)
{
    return RCC_CR != 0;
}

/* 24 MHz, at which flash needs no wait states: 3 times the crystal's 8 MHz or, if that does not
 * start, 6 times half the internal oscillator, which is accurate to 1 %. All buses run at this
 * rate. */
void stm32_start_clocks(void)
{
    RCC_CR |= CR_HSE_ON;
    int crystal = stm32_await(&RCC_CR, CR_HSE_READY, CR_HSE_READY, READY_MS);
    RCC_CFGR = crystal ? CFGR_PLL_FROM_HSE | CFGR_PLL_TIMES(3u) : CFGR_PLL_TIMES(6u);
    RCC_CR |= CR_PLL_ON;
    if (stm32_await(&RCC_CR, CR_PLL_READY, CR_PLL_READY, READY_MS)) {
        RCC_CFGR |= CFGR_SWITCH_TO_PLL;
        stm32_await(&RCC_CFGR, CFGR_STATUS, CFGR_STATUS_PLL, READY_MS);
    }
}

void stm32_connect_uart(void)
{
    RCC_APB2ENR |= APB2_PORT_A | APB2_USART1;
    GPIOA_ODR |= PIN_10;
    GPIOA_CRH = (GPIOA_CRH & ~PIN_9_AND_10) | PIN_9_SENDS | PIN_10_RECEIVES;
}

int stm32_flash_erase(uint32_t address)
{
    FLASH_CR = CR_ERASE_PAGE;
    FLASH_AR = address;
    FLASH_CR = CR_ERASE_PAGE | CR_START;
    return stm32_flash_is_done();
}

/* The controller programs half a word at a time. */
int stm32_flash_write(uint32_t address, uint32_t word)
{
    volatile uint16_t *halves = (volatile uint16_t *)(uintptr_t)address;
    FLASH_CR = CR_PROGRAM;
    halves[0] = (uint16_t)word;
    if (!stm32_flash_is_done()) {
        return 0;
    }
    halves[1] = (uint16_t)(word >> 16);
    return stm32_flash_is_done();
}
