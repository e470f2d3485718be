/* ESP-IDF, components/esp_common/include/esp_idf_version.h */
#pragma once
#define ESP_IDF_VERSION_VAL(major, minor, patch) ((major << 16) | (minor << 8) | (patch))
#define ESP_IDF_VERSION ESP_IDF_VERSION_VAL(5, 3, 0)
