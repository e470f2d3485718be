/*
 * YOUR SENSOR GOES HERE: replace all of this file.
 *
 * It pretends: one of a few situations is there, drawn at random, and each gives readings of its own, with noise. What
 * the true label of a sample is, a button, a second sensor or the user may tell.
 */
#include "sensor.h"

#include <stddef.h>

#define SITUATIONS ${classes}u
#define NOISE 0.3f

static uint32_t random_state = 1;

/* Xorshift: G. Marsaglia, "Xorshift RNGs", 2003. */
static uint32_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* -1 .. 1, the same each time. */
static float typical(uint32_t situation, uint32_t i)
{
    uint32_t mixed = (situation * 2654435761u) ^ ((i + 1u) * 2246822519u);
    mixed ^= mixed >> 15;
    return (float)((mixed * 3266489917u) >> 28) / 7.5f - 1.0f;
}

/* -1 .. 1 */
static float noise(void)
{
    return (float)(random_bits() >> 8) / 8388608.0f - 1.0f;
}

void sensor_read(float *values, sensor_label *labels)
{
    uint32_t situation = random_bits() % SITUATIONS;
    for (uint32_t i = 0; i < SENSOR_VALUES; ++i) {
        values[i] = typical(situation, i) + NOISE * noise();
    }
    uint32_t wanted = labels != NULL ? SENSOR_LABELS : 0;
    for (uint32_t i = 0; i < wanted; ++i) {
        labels[i] = ${label};
    }
}
