/* Stands in for Zephyr's flash map: one partition, in the file `flash` of the current folder (stand_in.c). */
#ifndef STAND_IN_FLASH_MAP_H
#define STAND_IN_FLASH_MAP_H

#include <stddef.h>
#include <stdint.h>

struct flash_area {
    uint32_t fa_size;
};

#define FIXED_PARTITION_ID(label) 0
#define FIXED_PARTITION_SIZE(label) 16384u

int flash_area_open(uint8_t id, const struct flash_area **area);
void flash_area_close(const struct flash_area *area);
int flash_area_read(const struct flash_area *area, long offset, void *data, size_t size);
int flash_area_write(const struct flash_area *area, long offset, const void *data, size_t size);
int flash_area_erase(const struct flash_area *area, long offset, size_t size);

#endif
