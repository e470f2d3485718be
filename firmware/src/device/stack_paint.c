#include "device/stack_paint.h"

/* FreeRTOS fills its stacks with the same byte, and takes another word at their end for an
 * overflow. */
#define PAINT 0xA5A5A5A5u
#define MARGIN 64u /* bytes below its frame that this function may still use */

void stack_paint(uint32_t *bottom)
{
    uintptr_t end = (uintptr_t)__builtin_frame_address(0) - MARGIN;
    for (volatile uint32_t *word = bottom; (uintptr_t)word < end; ++word) {
        *word = PAINT;
    }
}

uint32_t stack_used(const uint32_t *bottom, const uint32_t *top)
{
    const uint32_t *word = bottom;
    while (word < top && *word == PAINT) {
        ++word;
    }
    return (uint32_t)((uintptr_t)top - (uintptr_t)word);
}
