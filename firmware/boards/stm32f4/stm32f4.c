/*
 * Clocks, pins and flash controller of the STM32F405 and F446. RM0090 and RM0390, "Reset and clock
 * control", "General-purpose I/Os", "Embedded Flash memory interface".
 */
#include "board.h"
#include "cortex_m/cortex_m.h"
#include "stm32/stm32.h"

#define RCC_CR REGISTER(0x40023800u)
#define RCC_PLLCFGR REGISTER(0x40023804u)
#define RCC_CFGR REGISTER(0x40023808u)
#define RCC_AHB1ENR REGISTER(0x40023830u)
#define RCC_UART_ENABLE REGISTER(BOARD_UART_ENABLE)
#define CR_HSE_ON (1u << 16)
#define CR_HSE_READY (1u << 17)
#define CR_HSE_BYPASS (1u << 18)
#define CR_PLL_ON (1u << 24)
#define CR_PLL_READY (1u << 25)
#define PLL_FIELDS 0x0F437FFFu
#define PLL_FROM_HSE (1u << 22)
#define PLL_336_MHZ_HALVED (336u << 6 | 0u << 16 | 7u << 24) /* VCO / 2 for the core, / 7 for USB */
#define PLL_INPUT_HZ 1000000u
#define HSI_HZ 16000000u
#define CFGR_SWITCH_TO_PLL 2u
#define CFGR_STATUS (3u << 2)
#define CFGR_STATUS_PLL (2u << 2)
#define CFGR_APB1_BY_4 (5u << 10)
#define CFGR_APB2_BY_2 (4u << 13)
#define AHB1_PORT_A 1u
#define READY_MS 5u

#define GPIOA_MODER REGISTER(0x40020000u)
#define GPIOA_PUPDR REGISTER(0x4002000Cu)
#define GPIOA_AFR(pin) REGISTER(0x40020020u + (pin) / 8u * 4u)
#define MODE_ALTERNATE 2u
#define PULL_UP 1u
#define FUNCTION_USART_1_TO_3 7u

#define FLASH_ACR REGISTER(BOARD_FLASH_REGISTERS)
#define FLASH_CR REGISTER(BOARD_FLASH_REGISTERS + 0x10u)
#define ACR_5_WAIT_STATES_AND_PREFETCH (5u | 1u << 8)
#define ACR_CACHES_ON (3u << 9)
#define ACR_CACHES_RESET (3u << 11)
#define CR_PROGRAM (1u << 0)
#define CR_ERASE_SECTOR (1u << 1)
#define CR_SECTOR(n) ((n) << 3)
#define CR_WORDS (2u << 8)
#define CR_START (1u << 16)
#define CR_LOCK (1u << 31)
#define SR_BUSY (1u << 16)
#define SR_FAILED (0xFu << 4) /* sequence, parallelism, alignment, write-protected */
#define FLASH_START 0x08000000u
#define SECTOR_SIZE 0x20000u

/* Sectors 0 to 4 are smaller; sector 5 is the second 128 KB. */
typedef char files_lie_in_large_sectors[BOARD_ERASE_UNIT == SECTOR_SIZE ? 1 : -1];

const stm32_flash_bits stm32_flash = {SR_BUSY, SR_FAILED, CR_LOCK};

int stm32_has_clock_control(void)
{
    return RCC_CR != 0;
}

/* Returns the PLL's source and its divider: the crystal, or an external clock in its place; if
 * neither starts, the internal oscillator, which is accurate to 1 %. */
static uint32_t pll_source(void)
{
    RCC_CR |= BOARD_CRYSTAL_IS_CLOCK ? CR_HSE_BYPASS : 0u;
    RCC_CR |= CR_HSE_ON;
    int crystal = stm32_await(&RCC_CR, CR_HSE_READY, CR_HSE_READY, READY_MS);
    return crystal ? PLL_FROM_HSE | BOARD_CRYSTAL / PLL_INPUT_HZ : HSI_HZ / PLL_INPUT_HZ;
}

/* 168 MHz at voltage scale 1, the reset value; APB1 at 42 MHz and APB2 at 84 MHz, their maximum. */
void stm32_start_clocks(void)
{
    FLASH_ACR = ACR_5_WAIT_STATES_AND_PREFETCH | ACR_CACHES_ON;
    RCC_PLLCFGR = (RCC_PLLCFGR & ~PLL_FIELDS) | pll_source() | PLL_336_MHZ_HALVED;
    RCC_CFGR = CFGR_APB1_BY_4 | CFGR_APB2_BY_2;
    RCC_CR |= CR_PLL_ON;
    if (stm32_await(&RCC_CR, CR_PLL_READY, CR_PLL_READY, READY_MS)) {
        RCC_CFGR |= CFGR_SWITCH_TO_PLL;
        stm32_await(&RCC_CFGR, CFGR_STATUS, CFGR_STATUS_PLL, READY_MS);
    }
}

static void connect_pin(uint32_t pin)
{
    GPIOA_AFR(pin) = (GPIOA_AFR(pin) & ~(0xFu << pin % 8u * 4u)) | FUNCTION_USART_1_TO_3 << pin % 8u * 4u;
    GPIOA_PUPDR = (GPIOA_PUPDR & ~(3u << 2u * pin)) | PULL_UP << 2u * pin;
    GPIOA_MODER = (GPIOA_MODER & ~(3u << 2u * pin)) | MODE_ALTERNATE << 2u * pin;
}

/* A peripheral needs two cycles after its clock is enabled: the reads take them. */
void stm32_connect_uart(void)
{
    RCC_AHB1ENR |= AHB1_PORT_A;
    RCC_UART_ENABLE |= 1u << BOARD_UART_ENABLE_BIT;
    (void)RCC_AHB1ENR;
    (void)RCC_UART_ENABLE;
    connect_pin(BOARD_TX_PIN);
    connect_pin(BOARD_RX_PIN);
}

/* Invalidates the caches. They can be reset only while they are off. */
static void forget_cached(void)
{
    FLASH_ACR = ACR_5_WAIT_STATES_AND_PREFETCH;
    FLASH_ACR = ACR_5_WAIT_STATES_AND_PREFETCH | ACR_CACHES_RESET;
    FLASH_ACR = ACR_5_WAIT_STATES_AND_PREFETCH | ACR_CACHES_ON;
}

int stm32_flash_erase(uint32_t address)
{
    uint32_t command = CR_ERASE_SECTOR | CR_SECTOR(4u + (address - FLASH_START) / SECTOR_SIZE) | CR_WORDS;
    FLASH_CR = command;
    FLASH_CR = command | CR_START;
    int done = stm32_flash_is_done();
    forget_cached();
    return done;
}

int stm32_flash_write(uint32_t address, uint32_t word)
{
    FLASH_CR = CR_PROGRAM | CR_WORDS;
    REGISTER(address) = word;
    return stm32_flash_is_done();
}
