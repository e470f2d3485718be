/* ESP-IDF, components/esp_timer/include/esp_timer.h */
#pragma once
#include <stdint.h>

int64_t esp_timer_get_time(void);
