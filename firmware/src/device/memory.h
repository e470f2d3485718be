/* The division of RAM and flash. All sizes are in bytes. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdint.h>

/* Fills the unused part of the stack with a pattern, for memory_stack_used(). */
void memory_paint_stack(void);

/* Returns the most stack that was in use at once since memory_paint_stack(). */
uint32_t memory_stack_used(void);

uint32_t memory_stack_size(void);
uint32_t memory_static_size(void);
uint32_t memory_arena_size(void);
uint32_t memory_ram_size(void);
uint32_t memory_code_size(void);

/* Returns the address of the arena, which is divisible by 16. */
uint8_t *memory_arena(void);

#endif
