/* FreeRTOS as ESP-IDF has it */
#pragma once
#include <stdint.h>

typedef void *TaskHandle_t;

#ifdef __cplusplus
extern "C" {
#endif
uint8_t *pxTaskGetStackStart(TaskHandle_t xTask);
#ifdef __cplusplus
}
#endif
