/*
 * The board in ESP-IDF: a task, the line of USB-Serial-JTAG, and the clock.
 *
 * Sources: ESP-IDF, usb_serial_jtag.h, esp_timer.h, esp_mac.h, esp_image_format.h; FreeRTOS's task.h (in ESP-IDF a
 * StackType_t is a byte).
 */
#include <driver/usb_serial_jtag.h>
#include <esp_image_format.h>
#include <esp_mac.h>
#include <esp_ota_ops.h>
#include <esp_system.h>
#include <esp_timer.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>

#include "core.h"
#include "firmware.h"
#include "gradmote_console.h"

#define STACK_SIZE 8192u
#define PRIORITY 1
#define STUCK_TICKS pdMS_TO_TICKS(500) /* if the line accepts nothing for this long, nobody is listening */
#define BREATHE_US 1000000u
#define RECEIVED 4096u                 /* bytes that arrive during one slice of a program */

/* Bytes to send together, and those that came together. */
static uint8_t outgoing[64], incoming[64];
static uint32_t outgoing_count, incoming_count, incoming_taken;
static int nobody_listens; /* 1 until a byte arrives */

static StackType_t stack[STACK_SIZE] __attribute__((aligned(16)));
static StaticTask_t task;

static void send_outgoing(void)
{
    if (outgoing_count > 0 && !nobody_listens) {
        nobody_listens = usb_serial_jtag_write_bytes(outgoing, outgoing_count, STUCK_TICKS) <= 0;
    }
    outgoing_count = 0;
}

static int receive(TickType_t ticks)
{
    if (incoming_taken == incoming_count) {
        int count = usb_serial_jtag_read_bytes(incoming, sizeof incoming, ticks);
        incoming_count = count > 0 ? (uint32_t)count : 0;
        incoming_taken = 0;
        nobody_listens = nobody_listens && incoming_count == 0;
    }
    return incoming_taken < incoming_count;
}

/* Lets the idle task run now and then, also during a long program: it feeds the watchdog. */
static void breathe(void)
{
    static uint32_t last;
    if (board_ticks() - last >= BREATHE_US) {
        vTaskDelay(1);
        last = board_ticks();
    }
}

void board_init(void)
{
    usb_serial_jtag_driver_config_t line = {.tx_buffer_size = 1024, .rx_buffer_size = RECEIVED};
    ESP_ERROR_CHECK(usb_serial_jtag_driver_install(&line));
}

int board_uart_get(void)
{
    send_outgoing();
    if (receive(0)) {
        return incoming[incoming_taken++];
    }
    breathe();
    return -1;
}

void board_sleep(void)
{
    send_outgoing();
    (void)receive(1);
}

void board_uart_put(uint8_t byte)
{
    outgoing[outgoing_count++] = byte;
    if (outgoing_count == sizeof outgoing) {
        send_outgoing();
    }
}

uint32_t board_ticks(void)
{
    return (uint32_t)esp_timer_get_time();
}

uint64_t board_unique_id(void)
{
    uint64_t id = 0;
    return esp_efuse_mac_get_default((uint8_t *)&id) == ESP_OK ? id : 0;
}

void board_reset(void)
{
    send_outgoing();
    vTaskDelay(pdMS_TO_TICKS(50)); /* the last packet must leave before USB stops */
    esp_restart();
}

core_stack core_loop_stack(void)
{
    core_stack whole = {(uint32_t *)stack, (uint32_t *)(stack + sizeof stack)};
    return whole;
}

uint32_t core_code_size(void)
{
    const esp_partition_t *running = esp_ota_get_running_partition();
    esp_partition_pos_t place = {.offset = running->address, .size = running->size};
    esp_image_metadata_t program;
    return esp_image_get_metadata(&place, &program) == ESP_OK ? program.image_len : 0;
}

static void run(void *unused)
{
    (void)unused;
    firmware_start();
    for (;;) {
        firmware_poll();
    }
}

void gradmote_console_start(void)
{
    xTaskCreateStatic(run, "gradmote", sizeof stack / sizeof stack[0], NULL, PRIORITY, stack, &task);
}
