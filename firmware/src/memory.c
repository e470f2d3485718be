#include "memory.h"

#define PAINT 0xC5C5C5C5u
#define PAINT_MARGIN 64u /* bytes below this function's frame that it may still use itself */

extern uint32_t __stack_bottom[], __stack_top[];
extern uint8_t __static_start[], __static_end[], __arena_start[], __arena_end[], __code_start[], __code_end[];

static uint32_t distance(const void *from, const void *to)
{
    return (uint32_t)((uintptr_t)to - (uintptr_t)from);
}

void memory_paint_stack(void)
{
    uintptr_t end = (uintptr_t)__builtin_frame_address(0) - PAINT_MARGIN;
    for (volatile uint32_t *word = __stack_bottom; (uintptr_t)word < end; ++word) {
        *word = PAINT;
    }
}

uint32_t memory_stack_used(void)
{
    const uint32_t *word = __stack_bottom;
    while (word < __stack_top && *word == PAINT) {
        ++word;
    }
    return distance(word, __stack_top);
}

uint32_t memory_stack_size(void)
{
    return distance(__stack_bottom, __stack_top);
}

uint32_t memory_static_size(void)
{
    return distance(__static_start, __static_end);
}

uint32_t memory_arena_size(void)
{
    return distance(__arena_start, __arena_end);
}

uint32_t memory_ram_size(void)
{
    return distance(__stack_bottom, __arena_end);
}

uint32_t memory_code_size(void)
{
    return distance(__code_start, __code_end);
}

uint8_t *memory_arena(void)
{
    return __arena_start;
}
