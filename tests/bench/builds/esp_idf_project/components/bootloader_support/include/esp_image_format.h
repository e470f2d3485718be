/* ESP-IDF, components/bootloader_support/include: esp_image_format.h, esp_flash_partitions.h */
#pragma once
#include "esp_err.h"

typedef struct {
    uint32_t offset;
    uint32_t size;
} esp_partition_pos_t;

typedef struct {
    uint32_t start_addr;
    uint32_t image_len;
} esp_image_metadata_t;

esp_err_t esp_image_get_metadata(const esp_partition_pos_t *part, esp_image_metadata_t *metadata);
