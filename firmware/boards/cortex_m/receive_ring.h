/* A ring buffer of received bytes: the receive interrupt puts them, the main loop takes them.
 * BOARD_RECEIVE_RING: its size in bytes, a power of two. */
#ifndef RECEIVE_RING_H
#define RECEIVE_RING_H

#include <stdint.h>

int receive_ring_is_full(void);
int receive_ring_is_empty(void);

/* The ring must not be full. */
void receive_ring_put(uint8_t byte);

/* Returns the oldest byte, or -1 if the ring is empty. */
int receive_ring_take(void);

#endif
