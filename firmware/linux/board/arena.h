/* The memory that the model trains in. */
#ifndef ARENA_H
#define ARENA_H

#include <stdint.h>

/* size: bytes; 0: half of the computer's memory, 1 GiB at most. Pages cost nothing until a model uses them. */
void arena_open(uint32_t size);

#endif
