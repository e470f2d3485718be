/*
 * ESP-IDF's functions on QEMU's RISC-V machine `virt`: its UART is the USB line; RAM above the program, which a
 * reset keeps, is the flash; a task begins at once, and nothing else runs.
 *
 * UART: TI PC16550D data sheet. Test device: QEMU, hw/misc/sifive_test.c. mtime: RISC-V Privileged Architecture.
 */
#include "virt.h"

#include <driver/usb_serial_jtag.h>
#include <esp_image_format.h>
#include <esp_mac.h>
#include <esp_ota_ops.h>
#include <esp_system.h>
#include <esp_timer.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>
#include <string.h>

#define UART(offset) (*(volatile uint8_t *)(0x10000000u + (offset)))
#define UART_LSR UART(5u)
#define LSR_DATA_READY 1u
#define LSR_THR_EMPTY 0x20u
#define TEST_DEVICE (*(volatile uint32_t *)0x00100000u)
#define FINISHER_RESET 0x7777u
#define MTIME(word) ((volatile uint32_t *)0x0200BFF8u)[word]
#define TICKS_PER_US 10

#define FLASH 0x84000000u
#define FLASH_SIZE 0x400000u
#define ERASE_UNIT 0x1000u
#define EVER_ERASED (*(volatile uint32_t *)(FLASH - 16u))
#define MARK 0x45564552u

extern void app_main(void);

static const esp_partition_t partitions[] = {
#include "partitions.inc"
};

static void fail(void)
{
    for (;;) {
        TEST_DEVICE = 0x13333u; /* QEMU ends with status 1 */
    }
}

int main(void)
{
    if (EVER_ERASED != MARK) {
        memset((void *)FLASH, 0xFF, FLASH_SIZE);
        EVER_ERASED = MARK;
    }
    app_main();
    return 0;
}

/* ---- The line -------------------------------------------------------------------------------------------------- */

esp_err_t usb_serial_jtag_driver_install(usb_serial_jtag_driver_config_t *usb_serial_jtag_config)
{
    return usb_serial_jtag_config->tx_buffer_size > 0 && usb_serial_jtag_config->rx_buffer_size > 0 ? ESP_OK : ESP_FAIL;
}

int usb_serial_jtag_read_bytes(void *buf, uint32_t length, uint32_t ticks_to_wait)
{
    uint8_t *bytes = buf;
    uint32_t count = 0;
    (void)ticks_to_wait;
    while (count < length && (UART_LSR & LSR_DATA_READY)) {
        bytes[count++] = UART(0u);
    }
    return (int)count;
}

int usb_serial_jtag_write_bytes(const void *src, size_t size, uint32_t ticks_to_wait)
{
    const uint8_t *bytes = src;
    (void)ticks_to_wait;
    for (size_t i = 0; i < size; ++i) {
        while (!(UART_LSR & LSR_THR_EMPTY)) {
        }
        UART(0u) = bytes[i];
    }
    return (int)size;
}

/* ---- Tasks, time, the chip ------------------------------------------------------------------------------------- */

/* Calls the task on its own stack, and never returns. */
TaskHandle_t xTaskCreateStatic(TaskFunction_t code, const char *const name, const uint32_t stack_depth,
                               void *const parameters, UBaseType_t priority, StackType_t *const stack,
                               StaticTask_t *const task)
{
    (void)name, (void)priority, (void)task;
    register void *argument __asm("a0") = parameters;
    __asm volatile("mv sp, %0\n jr %1" : : "r"(stack + stack_depth), "r"(code), "r"(argument));
    __builtin_unreachable();
}

void vTaskDelay(const TickType_t ticks)
{
    (void)ticks;
}

int64_t esp_timer_get_time(void)
{
    uint32_t high, low;
    do {
        high = MTIME(1);
        low = MTIME(0);
    } while (high != MTIME(1));
    return (int64_t)((uint64_t)high << 32 | low) / TICKS_PER_US;
}

esp_err_t esp_efuse_mac_get_default(uint8_t *mac)
{
    memcpy(mac, "\x01\x23\x45\x67\x89\xAB", 6);
    return ESP_OK;
}

void esp_restart(void)
{
    for (;;) {
        TEST_DEVICE = FINISHER_RESET;
    }
}

const esp_partition_t *esp_ota_get_running_partition(void)
{
    static const esp_partition_t factory = {.address = 0x10000, .size = 0x1F0000, .label = "factory"};
    return &factory;
}

esp_err_t esp_image_get_metadata(const esp_partition_pos_t *part, esp_image_metadata_t *metadata)
{
    metadata->image_len = part->size / 2;
    return ESP_OK;
}

/* ---- Flash, whose power a test may cut --------------------------------------------------------------------------- */

__attribute__((weak)) int power_fails(void)
{
    return 0;
}

__attribute__((weak)) void power_failed(void) {}

const esp_partition_t *esp_partition_find_first(esp_partition_type_t type, esp_partition_subtype_t subtype,
                                                const char *label)
{
    (void)subtype;
    for (size_t i = 0; i < sizeof partitions / sizeof partitions[0]; ++i) {
        if (partitions[i].type == type && strcmp(partitions[i].label, label) == 0) {
            return &partitions[i];
        }
    }
    return NULL;
}

static uint8_t *cells(const esp_partition_t *partition, size_t offset, size_t size)
{
    if (offset > partition->size || size > partition->size - offset) {
        fail(); /* over the end of a partition */
    }
    return (uint8_t *)FLASH + partition->address + offset;
}

esp_err_t esp_partition_mmap(const esp_partition_t *partition, size_t offset, size_t size,
                             esp_partition_mmap_memory_t memory, const void **out_ptr,
                             esp_partition_mmap_handle_t *out_handle)
{
    (void)memory;
    *out_ptr = cells(partition, offset, size);
    *out_handle = 1;
    return ESP_OK;
}

/* A unit whose erase was cut off has bits of both. */
esp_err_t esp_partition_erase_range(const esp_partition_t *partition, size_t offset, size_t size)
{
    uint8_t *unit = cells(partition, offset, size);
    if (offset % ERASE_UNIT != 0 || size % ERASE_UNIT != 0) {
        return ESP_FAIL;
    }
    for (const uint8_t *end = unit + size; unit < end; unit += ERASE_UNIT) {
        int cut = power_fails();
        memset(unit, 0xFF, cut ? ERASE_UNIT / 2 : ERASE_UNIT);
        if (cut) {
            power_failed();
        }
    }
    return ESP_OK;
}

/* Programming only clears bits. A byte that was cut off has some of them cleared. */
esp_err_t esp_partition_write(const esp_partition_t *partition, size_t dst_offset, const void *src, size_t size)
{
    uint8_t *cell = cells(partition, dst_offset, size);
    const uint8_t *wanted = src;
    for (size_t i = 0; i < size; ++i) {
        int cut = power_fails();
        cell[i] &= cut ? wanted[i] | 0x55u : wanted[i];
        if (cut) {
            power_failed();
        }
    }
    return ESP_OK;
}
