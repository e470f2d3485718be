/* CMSIS_5, CMSIS/RTOS2/RTX/Include/rtx_os.h; of the thread's control block what comes after these is left out */
#pragma once
#include <stdint.h>

typedef void *osThreadId_t;

typedef struct {
    void *stack_mem;
    uint32_t stack_size;
} osRtxThread_t;

#ifdef __cplusplus
extern "C" {
#endif
osThreadId_t osThreadGetId(void);
#ifdef __cplusplus
}
#endif
