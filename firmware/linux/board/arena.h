/* The memory of the model. */
#ifndef ARENA_H
#define ARENA_H

#include <stdint.h>

/* Sets the arena's size in bytes. 0: half of the computer's memory, at most 1 GiB. Pages cost
 * nothing until a model uses them. */
void arena_open(uint32_t size);

#endif
