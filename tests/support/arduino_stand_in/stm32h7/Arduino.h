/* stm32duino/Arduino_Core_STM32, with what it includes: STM32H7 HAL (stm32h7xx_hal.h, _flash.h, _flash_ex.h), CMSIS */
#pragma once
#include "../arduino_api.h"

typedef enum { HAL_OK = 0, HAL_ERROR = 1 } HAL_StatusTypeDef;

typedef struct {
    uint32_t TypeErase;
    uint32_t Banks;
    uint32_t Sector;
    uint32_t NbSectors;
    uint32_t VoltageRange;
} FLASH_EraseInitTypeDef;

#define FLASH_TYPEERASE_SECTORS 0x00U
#define FLASH_TYPEPROGRAM_FLASHWORD 0x01U
#define FLASH_VOLTAGE_RANGE_3 0x00000020U
#define FLASH_BANK_2 0x02U

extern "C" {
HAL_StatusTypeDef HAL_FLASH_Unlock(void);
HAL_StatusTypeDef HAL_FLASH_Lock(void);
HAL_StatusTypeDef HAL_FLASH_Program(uint32_t TypeProgram, uint32_t FlashAddress, uint32_t DataAddress);
HAL_StatusTypeDef HAL_FLASHEx_Erase(FLASH_EraseInitTypeDef *pEraseInit, uint32_t *SectorError);
uint32_t HAL_GetUIDw0(void);
uint32_t HAL_GetUIDw1(void);
uint32_t HAL_GetUIDw2(void);
void SCB_InvalidateDCache_by_Addr(void *addr, int32_t dsize);
void NVIC_SystemReset(void) __attribute__((noreturn));
}
