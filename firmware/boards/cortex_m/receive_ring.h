/* Received bytes on their way from the receive interrupt, which puts them, to the main loop, which
 * takes them. BOARD_RECEIVE_RING: bytes that find room; a power of two. */
#ifndef RECEIVE_RING_H
#define RECEIVE_RING_H

#include <stdint.h>

int receive_ring_is_full(void);
int receive_ring_is_empty(void);

/* The ring must not be full. */
void receive_ring_put(uint8_t byte);

/* The byte that was put first, or -1 where there is none. */
int receive_ring_take(void);

#endif
