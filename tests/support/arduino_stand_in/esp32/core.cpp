#include "Arduino.h"

#include <string.h>

#include "../host.h"
#include "esp_partition.h"
#include "freertos/task.h"

#define MAPPED 0x3C000000u /* where partitions are seen; the chip's own addresses begin at 0 */
#define FILES 0x200000u    /* of partitions.csv */

const host_flash flash_chip = {MAPPED, 0x180000};
EspClass ESP;

static const esp_partition_t partitions[] = {
    {NULL, ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_ANY, FILES, 0x100000, "image", false},
    {NULL, ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_ANY, FILES + 0x100000, 0x80000, "checkpoint", false},
};

void EspClass::restart()
{
    host_restart();
}

uint32_t EspClass::getSketchSize()
{
    return 0x12345;
}

uint64_t EspClass::getEfuseMac()
{
    return 0x0123456789ABCDEFu;
}

size_t getArduinoLoopTaskStackSize(void)
{
    return 8192;
}

uint8_t *pxTaskGetStackStart(TaskHandle_t)
{
    return stack_memory + HOST_STACK - getArduinoLoopTaskStackSize();
}

const esp_partition_t *esp_partition_find_first(esp_partition_type_t type, esp_partition_subtype_t, const char *label)
{
    for (const esp_partition_t &partition : partitions) {
        if (partition.type == type && strcmp(partition.label, label) == 0) {
            return &partition;
        }
    }
    return NULL;
}

static uintptr_t seen_at(const esp_partition_t *partition, size_t offset, size_t size)
{
    if (offset + size > partition->size) {
        host_fail("flash: over the end of a partition");
    }
    return MAPPED + (partition->address - FILES) + offset;
}

esp_err_t esp_partition_mmap(const esp_partition_t *partition, size_t offset, size_t size, esp_partition_mmap_memory_t,
                             const void **out_ptr, esp_partition_mmap_handle_t *out_handle)
{
    *out_ptr = (const void *)seen_at(partition, offset, size);
    *out_handle = 1;
    return ESP_OK;
}

esp_err_t esp_partition_erase_range(const esp_partition_t *partition, size_t offset, size_t size)
{
    host_erase(seen_at(partition, offset, size), (uint32_t)size, 4096);
    return ESP_OK;
}

esp_err_t esp_partition_write(const esp_partition_t *partition, size_t dst_offset, const void *src, size_t size)
{
    host_program(seen_at(partition, dst_offset, size), src, (uint32_t)size, 1);
    return ESP_OK;
}
