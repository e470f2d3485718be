/* board.toml gives the size of the arena, and the core the position of its stack. */
#include "device/memory.h"

#include "core.h"
#include "device/stack_paint.h"

#ifdef BOARD_ARENA_SECTION
#define IN_ARENA_SECTION section(BOARD_ARENA_SECTION),
#else
#define IN_ARENA_SECTION
#endif

static uint8_t arena[BOARD_ARENA_SIZE] __attribute__((IN_ARENA_SECTION aligned(16)));

void memory_paint_stack(void)
{
    stack_paint(core_loop_stack().bottom);
}

uint32_t memory_stack_used(void)
{
    core_stack stack = core_loop_stack();
    return stack_used(stack.bottom, stack.top);
}

uint32_t memory_stack_size(void)
{
    core_stack stack = core_loop_stack();
    return (uint32_t)((uintptr_t)stack.top - (uintptr_t)stack.bottom);
}

/* Everything except arena and stack: variables of the firmware and the core, and the heap. */
uint32_t memory_static_size(void)
{
    return memory_ram_size() - memory_stack_size() - memory_arena_size();
}

uint32_t memory_arena_size(void)
{
    return sizeof arena;
}

uint32_t memory_ram_size(void)
{
    return BOARD_RAM_SIZE;
}

uint32_t memory_code_size(void)
{
    return core_code_size();
}

uint8_t *memory_arena(void)
{
    return arena;
}
