/* Measures how much of a stack was ever used, by the part that still has its initial pattern. */
#ifndef STACK_PAINT_H
#define STACK_PAINT_H

#include <stdint.h>

/* Fills the unused part of the stack that grows down to `bottom`. */
void stack_paint(uint32_t *bottom);

/* Returns the most bytes of [bottom, top) that were used since then. */
uint32_t stack_used(const uint32_t *bottom, const uint32_t *top);

#endif
