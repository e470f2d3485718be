/* Implements memory.h for a process, with numbers from the linker and the kernel. */
#include "device/memory.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../files.h"
#include "arena.h"

#define ARENA_LIMIT (1u << 30)

extern char __executable_start[], etext[], __data_start[], end[];

static uintptr_t stack_top; /* address of main()'s frame */
static uint8_t *arena;
static uint32_t arena_size;

void arena_open(uint32_t size)
{
    uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    arena_size = size != 0 ? size : (uint32_t)(half < ARENA_LIMIT ? half : ARENA_LIMIT);
    arena = memory_map(arena_size);
}

uint8_t *memory_arena(void)
{
    return arena;
}

uint32_t memory_arena_size(void)
{
    return arena_size;
}

/* The kernel's pages serve as paint: it allocates a stack page when it is first touched. */
void memory_paint_stack(void)
{
    stack_top = (uintptr_t)__builtin_frame_address(0);
}

uint32_t memory_stack_used(void)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t at = (uintptr_t)__builtin_frame_address(0) & ~(page - 1);
    unsigned char resident = 1;
    while (mincore((void *)(at - page), page, &resident) == 0 && (resident & 1) != 0) {
        at -= page;
    }
    return (uint32_t)(stack_top - at);
}

static uint32_t at_most_32_bits(uint64_t size)
{
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

uint32_t memory_stack_size(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 ? at_most_32_bits(limit.rlim_cur) : UINT32_MAX;
}

uint32_t memory_static_size(void)
{
    return (uint32_t)(end - __data_start);
}

uint32_t memory_ram_size(void)
{
    return at_most_32_bits((uint64_t)memory_static_size() + memory_stack_size() + memory_arena_size());
}

uint32_t memory_code_size(void)
{
    return (uint32_t)(etext - __executable_start);
}
