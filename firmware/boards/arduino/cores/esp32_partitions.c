/*
 * The files of an ESP32: partitions of partitions.csv, mapped for reading; writing a partition
 * invalidates its cache lines. Arduino's core and ESP-IDF (docs/guides/esp-idf.md) have the same
 * functions.
 *
 * Sources: ESP-IDF, esp_partition.h (4.4 and 5), esp_idf_version.h.
 */
#include <esp_idf_version.h>
#include <esp_partition.h>
#include <string.h>

#include "board.h"

#if ESP_IDF_VERSION >= ESP_IDF_VERSION_VAL(5, 0, 0)
typedef esp_partition_mmap_handle_t mmap_handle;
#define MMAP_DATA ESP_PARTITION_MMAP_DATA
#else
typedef spi_flash_mmap_handle_t mmap_handle;
#define MMAP_DATA SPI_FLASH_MMAP_DATA
#endif

/* A partition and its mapped address. */
typedef struct mapped_file {
    const char *label;
    const esp_partition_t *partition;
    const uint8_t *base; /* NULL: there is no such partition */
} mapped_file;

static mapped_file files[] = {{"image", NULL, NULL}, {"checkpoint", NULL, NULL}};

static void map_file(mapped_file *file)
{
    const void *base = NULL;
    mmap_handle handle;
    file->partition = esp_partition_find_first(ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_ANY, file->label);
    if (file->partition != NULL &&
        esp_partition_mmap(file->partition, 0, file->partition->size, MMAP_DATA, &base, &handle) == ESP_OK) {
        file->base = base;
    }
}

/* Returns the file that contains [at, at + size), or NULL. */
static const mapped_file *file_of(const uint8_t *at, uint32_t size)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        const mapped_file *file = &files[i];
        if (file->base != NULL && at >= file->base && at + size <= file->base + file->partition->size) {
            return file;
        }
    }
    return NULL;
}

/* If the partition table lacks a file, its area is empty, with one erased word as its address. */
board_area board_flash_area(enum board_area_kind kind)
{
    static const uint32_t erased[4] __attribute__((aligned(16))) = {~0u, ~0u, ~0u, ~0u};
    mapped_file *file = &files[kind == BOARD_AREA_IMAGE ? 0 : 1];
    if (file->base == NULL) {
        map_file(file);
    }
    board_area none = {(const uint8_t *)erased, 0, BOARD_ERASE_UNIT};
    board_area found = {file->base, file->base != NULL ? file->partition->size : 0, BOARD_ERASE_UNIT};
    return file->base != NULL ? found : none;
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    const mapped_file *file = file_of(at, size);
    if (file == NULL) {
        return -1;
    }
    return esp_partition_erase_range(file->partition, (size_t)(at - file->base), size) == ESP_OK ? 0 : -1;
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    const mapped_file *file = file_of(at, size);
    if (file == NULL || esp_partition_write(file->partition, (size_t)(at - file->base), data, size) != ESP_OK) {
        return -1;
    }
    return memcmp(at, data, size) ? -1 : 0;
}
