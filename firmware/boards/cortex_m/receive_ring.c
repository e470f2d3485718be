#include "receive_ring.h"

typedef char ring_is_a_power_of_two[(BOARD_RECEIVE_RING & (BOARD_RECEIVE_RING - 1)) == 0 ? 1 : -1];

/* put, taken: the number of bytes ever, modulo 2^32. Each has only one writer, and so needs no
 * lock. */
static volatile struct {
    uint32_t put;
    uint32_t taken;
    uint8_t bytes[BOARD_RECEIVE_RING];
} receive_ring;

int receive_ring_is_full(void)
{
    return receive_ring.put - receive_ring.taken == BOARD_RECEIVE_RING;
}

int receive_ring_is_empty(void)
{
    return receive_ring.put == receive_ring.taken;
}

void receive_ring_put(uint8_t byte)
{
    receive_ring.bytes[receive_ring.put % BOARD_RECEIVE_RING] = byte;
    ++receive_ring.put;
}

int receive_ring_take(void)
{
    if (receive_ring_is_empty()) {
        return -1;
    }
    uint8_t byte = receive_ring.bytes[receive_ring.taken % BOARD_RECEIVE_RING];
    ++receive_ring.taken;
    return byte;
}
