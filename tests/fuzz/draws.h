/* Random numbers that are the same on every processor: a counter and a key, mixed as by the runtime's own generator. One
 * expression draws one number, since compilers differ in what they evaluate first. */
#ifndef DRAWS_H
#define DRAWS_H

#include <stdint.h>

typedef struct draws {
    uint32_t key, count;
} draws;

/* C. Wellons' lowbias32. */
static inline uint32_t draws_mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static inline uint32_t draw_word(draws *d)
{
    return draws_mix(draws_mix(d->count++ + d->key) ^ d->key);
}

/* 0 .. limit - 1 */
static inline uint32_t below(draws *d, uint32_t limit)
{
    return (uint32_t)((uint64_t)draw_word(d) * limit >> 32);
}

static inline uint32_t between(draws *d, uint32_t low, uint32_t high)
{
    return low + below(d, high - low + 1);
}

static inline int one_in(draws *d, uint32_t n)
{
    return below(d, n) == 0;
}

/* The bits of a float in -2 .. 2. Unless `special` is 0, one in so many is a zero, subnormal, huge, infinite or NaN. */
static inline uint32_t draw_float(draws *d, uint32_t special)
{
    static const uint32_t bits[] = {0,           0x80000000u, 1,           0x80000001u, 0x007FFFFFu,
                                    0x00800000u, 0x7F7FFFFFu, 0xFF7FFFFFu, 0x7F800000u, 0xFF800000u,
                                    0x7FC00000u, 0x7F800001u, 0x3F800000u, 0x5F000000u};
    if (special != 0 && one_in(d, special)) {
        return bits[below(d, sizeof bits / sizeof *bits)];
    }
    uint32_t word = draw_word(d);
    return (word & 0x807FFFFFu) | (125u + (word >> 23 & 3) % 3) << 23;
}

#endif
