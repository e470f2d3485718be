/* ESP-IDF, components/esp_system/include/esp_system.h */
#pragma once

void esp_restart(void) __attribute__((__noreturn__));
