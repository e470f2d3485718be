/* ESP-IDF, components/freertos: task.h */
#pragma once
#include "freertos/FreeRTOS.h"

typedef struct tskTaskControlBlock *TaskHandle_t;
typedef void (*TaskFunction_t)(void *);

TaskHandle_t xTaskCreateStatic(TaskFunction_t code, const char *const name, const uint32_t stack_depth,
                               void *const parameters, UBaseType_t priority, StackType_t *const stack,
                               StaticTask_t *const task);
void vTaskDelay(const TickType_t ticks);
