/* ESP-IDF, components/esp_common/include/esp_err.h */
#pragma once
#include <stdint.h>
#include <stdlib.h>

typedef int esp_err_t;
#define ESP_OK 0
#define ESP_FAIL -1
#define ESP_ERROR_CHECK(x) ((x) == ESP_OK ? (void)0 : abort())
