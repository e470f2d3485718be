/* ESP-IDF, components/esp_hw_support/include/esp_mac.h */
#pragma once
#include "esp_err.h"

esp_err_t esp_efuse_mac_get_default(uint8_t *mac);
