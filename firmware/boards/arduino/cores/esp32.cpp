/*
 * Espressif's core, versions 2 and 3.
 *
 * Sources: FreeRTOS's task.h (pxTaskGetStackStart, stacks in bytes); espressif/arduino-esp32, cores/esp32: Esp.h,
 * main.cpp (getArduinoLoopTaskStackSize).
 */
#include <Arduino.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>

#include "../core.h"

void core_start(void)
{
    Serial.setRxBufferSize(4096);
}

core_stack core_loop_stack(void)
{
    uint8_t *bottom = (uint8_t *)pxTaskGetStackStart(NULL);
    core_stack stack = {(uint32_t *)bottom, (uint32_t *)(bottom + getArduinoLoopTaskStackSize())};
    return stack;
}

uint32_t core_code_size(void)
{
    return ESP.getSketchSize();
}

void core_restart(void)
{
    ESP.restart();
}

uint64_t board_unique_id(void)
{
    return ESP.getEfuseMac();
}
