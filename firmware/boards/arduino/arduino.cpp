/* The board through Arduino's API: Serial, the clock, and setup() and loop(), which run the main
 * loop. */
#include <Arduino.h>

#include "core.h"
#include "firmware.h"

#define BAUD 115200
#define STUCK_MS 500u    /* if the line accepts nothing for this long, nobody is listening */
#define BREATHE_MS 1000u

/* Bytes to send together, because cores send a single byte by itself, or in a USB packet of its
 * own. */
static uint8_t outgoing[64];
static uint32_t outgoing_count;

static void send_outgoing(void)
{
    uint32_t sent = 0, since = millis();
    while (sent < outgoing_count && Serial && (uint32_t)millis() - since < STUCK_MS) {
        uint32_t taken = (uint32_t)Serial.write(outgoing + sent, outgoing_count - sent);
        sent += taken;
        since = taken ? (uint32_t)millis() : since;
    }
    outgoing_count = 0;
}

/* Lets the idle task run now and then, also during a long program: cores with an operating system
 * need it. */
static void breathe(void)
{
    static uint32_t last;
    if ((uint32_t)millis() - last >= BREATHE_MS) {
        delay(1);
        last = millis();
    }
}

__attribute__((weak)) void core_start(void) {}

void board_init(void)
{
    core_start();
    Serial.begin(BAUD);
}

int board_uart_get(void)
{
    send_outgoing();
    int byte = Serial.read();
    if (byte < 0) {
        breathe();
    }
    return byte;
}

void board_sleep(void)
{
    send_outgoing();
    if (Serial.available() <= 0) {
        delay(1);
    }
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
    return (uint32_t)micros();
}

void board_reset(void)
{
    send_outgoing();
    Serial.flush();
    delay(20); /* the last packet must leave before USB stops */
    core_restart();
}

void setup()
{
    firmware_start();
}

void loop()
{
    firmware_poll();
}
