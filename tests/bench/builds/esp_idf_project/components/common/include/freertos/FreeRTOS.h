/* ESP-IDF, components/freertos: FreeRTOS.h, projdefs.h, portmacro.h */
#pragma once
#include <stdint.h>

typedef uint8_t StackType_t;
typedef int BaseType_t;
typedef unsigned int UBaseType_t;
typedef uint32_t TickType_t;
typedef struct xSTATIC_TCB {
    void *memory[80];
} StaticTask_t;

#define configTICK_RATE_HZ 100
#define pdMS_TO_TICKS(ms) ((TickType_t)(((TickType_t)(ms) * configTICK_RATE_HZ) / 1000U))
