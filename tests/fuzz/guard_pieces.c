/* The part of guard.h that is common to all: canaries around a piece of a room. */
#include "guard.h"

#include <string.h>

#include "repair.h"

#define ALIGN 16u
#define CANARY_SIZE 256u
#define CANARY 0xC5

static uint8_t *end_of(const guard *g)
{
    return g->room + GUARD_LIMIT;
}

/* Bytes of the room near the piece, before it and after it. */
static uint32_t canaries_before(const guard *g)
{
    uint32_t room = (uint32_t)(g->piece - g->room);
    return room < CANARY_SIZE ? room : CANARY_SIZE;
}

static uint32_t canaries_after(const guard *g)
{
    uint32_t room = (uint32_t)(end_of(g) - (g->piece + g->size));
    return room < CANARY_SIZE ? room : CANARY_SIZE;
}

uint8_t *guard_take(guard *g, uint32_t size, enum guard_end end)
{
    require(size <= GUARD_LIMIT);
    g->room = g->room != NULL ? g->room : guard_reserve();
    g->piece = end == GUARD_BELOW ? g->room : end_of(g) - (size + ALIGN - 1) / ALIGN * ALIGN;
    g->size = size;
    memset(g->piece - canaries_before(g), CANARY, canaries_before(g));
    memset(g->piece + size, CANARY, canaries_after(g));
    return g->piece;
}

static int are_canaries(const uint8_t *bytes, uint32_t count)
{
    while (count != 0 && bytes[count - 1] == CANARY) {
        --count;
    }
    return count == 0;
}

int guard_is_whole(const guard *g)
{
    return are_canaries(g->piece - canaries_before(g), canaries_before(g)) &&
           are_canaries(g->piece + g->size, canaries_after(g));
}
