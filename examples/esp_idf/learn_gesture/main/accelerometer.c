/*
 * YOUR ACCELEROMETER GOES HERE: replace all of this file.
 *
 * It pretends: somebody makes the gestures 0, 1, 2, 0, 1, 2 and so on, never twice alike.
 *     0  shakes it along x
 *     1  lifts it along z
 *     2  tilts it from x to y
 */
#include "accelerometer.h"

#include <stdint.h>

#define GESTURES 3u
#define NOISE 0.4f

static uint32_t random_state = 1;

/* Returns -1 .. 1. Xorshift: G. Marsaglia, "Xorshift RNGs", 2003. */
static float noise(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (float)(random_state >> 8) / 8388608.0f - 1.0f;
}

/* Returns the acceleration in g, without noise. */
static float typical(uint32_t gesture, int sample, int axis)
{
    float passed = (float)sample / (WINDOW_SAMPLES - 1);
    float gravity = axis == 2 ? 1.0f : 0.0f;
    switch (gesture) {
    case 0: return axis == 0 ? (sample % 2 ? 1.0f : -1.0f) : gravity;
    case 1: return axis == 2 ? gravity + (passed < 0.5f ? 0.8f : -0.8f) : 0.0f;
    default: return axis == 2 ? 0.3f : axis == 0 ? 1.0f - passed : passed;
    }
}

void accelerometer_record(float window[WINDOW_VALUES])
{
    static uint32_t recorded;
    uint32_t gesture = recorded++ % GESTURES;
    for (int sample = 0; sample < WINDOW_SAMPLES; ++sample) {
        for (int axis = 0; axis < WINDOW_AXES; ++axis) {
            window[sample * WINDOW_AXES + axis] = typical(gesture, sample, axis) + NOISE * noise();
        }
    }
}
