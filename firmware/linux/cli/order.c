/*
 * numpy's default generator: SeedSequence spreads the seed, PCG64 (O'Neill 2014: PCG XSL RR 128/64)
 * draws, Fisher and Yates shuffle. Names are from numpy's sources.
 */
#include "order.h"

#define POOL 4u

#define INIT_A 0x43b0d7e5u
#define MULT_A 0x931e8875u
#define INIT_B 0x8b51f9ddu
#define MULT_B 0x58f38dedu
#define MIX_MULT_L 0xca01f9ddu
#define MIX_MULT_R 0x4973f715u

/* ---- SeedSequence ------------------------------------------------------------------------------------------- */

static uint32_t hash(uint32_t value, uint32_t *constant, uint32_t multiplier)
{
    value ^= *constant;
    *constant *= multiplier;
    value *= *constant;
    return value ^ value >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y)
{
    uint32_t result = MIX_MULT_L * x - MIX_MULT_R * y;
    return result ^ result >> 16;
}

/* SeedSequence((seed, epoch)).generate_state(4, uint64). */
static void spread(uint32_t seed, uint32_t epoch, uint64_t state[4])
{
    uint32_t pool[POOL] = {seed, epoch, 0, 0};
    uint32_t constant = INIT_A;
    for (uint32_t i = 0; i < POOL; ++i) {
        pool[i] = hash(pool[i], &constant, MULT_A);
    }
    for (uint32_t from = 0; from < POOL; ++from) {
        for (uint32_t to = 0; to < POOL; ++to) {
            if (from != to) {
                pool[to] = mix(pool[to], hash(pool[from], &constant, MULT_A));
            }
        }
    }
    constant = INIT_B;
    for (uint32_t i = 0; i < 4; ++i) {
        uint64_t low = hash(pool[2 * i % POOL], &constant, MULT_B);
        state[i] = low | (uint64_t)hash(pool[(2 * i + 1) % POOL], &constant, MULT_B) << 32;
    }
}

/* ---- PCG64 -------------------------------------------------------------------------------------------------- */

typedef struct wide {
    uint64_t high;
    uint64_t low;
} wide;

typedef struct generator {
    wide state;
    wide increment;
    int has_half; /* the upper half of the last draw has not been used */
    uint32_t half;
} generator;

static const wide MULTIPLIER = {2549297995355413924u, 4865540595714422341u};

static wide add(wide a, wide b)
{
    wide sum = {a.high + b.high, a.low + b.low};
    sum.high += sum.low < a.low;
    return sum;
}

static wide multiply_64(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), cross = a0 * b1 + (uint32_t)middle;
    wide product = {a1 * b1 + (middle >> 32) + (cross >> 32), cross << 32 | (uint32_t)low};
    return product;
}

static void step(generator *g)
{
    wide product = multiply_64(g->state.low, MULTIPLIER.low);
    product.high += g->state.high * MULTIPLIER.low + g->state.low * MULTIPLIER.high;
    g->state = add(product, g->increment);
}

static generator start(uint32_t seed, uint32_t epoch)
{
    uint64_t words[4];
    spread(seed, epoch, words);
    generator g = {{0, 0}, {words[2] << 1 | words[3] >> 63, words[3] << 1 | 1}, 0, 0};
    wide first = {words[0], words[1]};
    step(&g);
    g.state = add(g.state, first);
    step(&g);
    return g;
}

static uint32_t draw(generator *g)
{
    if (g->has_half) {
        g->has_half = 0;
        return g->half;
    }
    step(g);
    uint64_t folded = g->state.high ^ g->state.low, turn = g->state.high >> 58;
    uint64_t drawn = folded >> turn | folded << (-turn & 63);
    g->has_half = 1;
    g->half = (uint32_t)(drawn >> 32);
    return (uint32_t)drawn;
}

/* Draws a number from 0 to `most`, all equally likely: draws as many bits as needed until the
 * number is in range. */
static uint32_t draw_up_to(generator *g, uint32_t most)
{
    uint32_t mask = most, value;
    for (uint32_t shift = 1; shift < 32; shift *= 2) {
        mask |= mask >> shift;
    }
    do {
        value = draw(g) & mask;
    } while (value > most);
    return value;
}

void order_shuffle(uint32_t *order, uint32_t count, uint32_t seed, uint32_t epoch)
{
    generator g = start(seed, epoch);
    for (uint32_t i = 0; i < count; ++i) {
        order[i] = i;
    }
    for (uint32_t i = count - (count > 0); i > 0; --i) {
        uint32_t j = draw_up_to(&g, i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}
