/* How far down a stack has ever been used: what nobody wrote still has the pattern. */
#ifndef STACK_PAINT_H
#define STACK_PAINT_H

#include <stdint.h>

/* Fills the unused part of the stack that ends, downwards, at `bottom`. */
void stack_paint(uint32_t *bottom);

/* Bytes of [bottom, top) that were used at the most since then. */
uint32_t stack_used(const uint32_t *bottom, const uint32_t *top);

#endif
