#include "device/memory.h"

#include "device/stack_paint.h"

extern uint32_t __stack_bottom[], __stack_top[];
extern uint8_t __static_start[], __static_end[], __arena_start[], __arena_end[], __code_start[], __code_end[];

static uint32_t distance(const void *from, const void *to)
{
    return (uint32_t)((uintptr_t)to - (uintptr_t)from);
}

void memory_paint_stack(void)
{
    stack_paint(__stack_bottom);
}

uint32_t memory_stack_used(void)
{
    return stack_used(__stack_bottom, __stack_top);
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
