/* Where the RAM and the flash go. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdint.h>

/* Fills the unused part of the stack with a pattern, for memory_stack_used(). */
void memory_paint_stack(void);

/* All in bytes. */
uint32_t memory_stack_used(void); /* most ever used since memory_paint_stack() */
uint32_t memory_stack_size(void);
uint32_t memory_static_size(void);
uint32_t memory_arena_size(void);
uint32_t memory_ram_size(void);
uint32_t memory_code_size(void);

/* 16-byte aligned, memory_arena_size() bytes. */
uint8_t *memory_arena(void);

#endif
