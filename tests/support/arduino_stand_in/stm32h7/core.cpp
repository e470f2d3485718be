#include "Arduino.h"
#include "../host.h"

#define SECTOR 0x20000u
#define FLASH_WORD 32u

LINKER_SYMBOL(_sidata, "0x08012000");
LINKER_SYMBOL(_sdata, "0x24000000");
LINKER_SYMBOL(_edata, "0x24000345");

const host_flash flash_chip = {0x08100000, 0x100000};
static int is_unlocked;

HAL_StatusTypeDef HAL_FLASH_Unlock(void)
{
    is_unlocked = 1;
    return HAL_OK;
}

HAL_StatusTypeDef HAL_FLASH_Lock(void)
{
    is_unlocked = 0;
    return HAL_OK;
}

HAL_StatusTypeDef HAL_FLASH_Program(uint32_t TypeProgram, uint32_t FlashAddress, uint32_t DataAddress)
{
    if (!is_unlocked || TypeProgram != FLASH_TYPEPROGRAM_FLASHWORD || DataAddress % 4) {
        return HAL_ERROR;
    }
    host_program_once(FlashAddress, (const void *)(uintptr_t)DataAddress, FLASH_WORD);
    return HAL_OK;
}

HAL_StatusTypeDef HAL_FLASHEx_Erase(FLASH_EraseInitTypeDef *pEraseInit, uint32_t *SectorError)
{
    *SectorError = 0xFFFFFFFFu;
    if (!is_unlocked || pEraseInit->TypeErase != FLASH_TYPEERASE_SECTORS || pEraseInit->Banks != FLASH_BANK_2) {
        return HAL_ERROR;
    }
    host_erase(flash_chip.base + pEraseInit->Sector * SECTOR, pEraseInit->NbSectors * SECTOR, SECTOR);
    return HAL_OK;
}

uint32_t HAL_GetUIDw0(void)
{
    return 0x01234560u;
}

uint32_t HAL_GetUIDw1(void)
{
    return 0x89ABCDEFu;
}

uint32_t HAL_GetUIDw2(void)
{
    return 7;
}

void SCB_InvalidateDCache_by_Addr(void *, int32_t) {}

void NVIC_SystemReset(void)
{
    host_restart();
}
