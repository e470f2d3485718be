/* Written by firmware/test/make_expected.py; do not edit. */
#ifndef EXPECTED_H
#define EXPECTED_H

#include <stdint.h>

#define STEPS 20u
/* CRC-32 of the twin's state after STEPS steps on this batch. */
#define STATE_CRC (GM_FUSED ? 0xd261b564u : 0x6288e327u)

static const float samples[48] = {
    -0.0625f, 0.0f, 0.5f, 0.9375f, -0.9375f, -0.75f, 0.6875f, 0.9375f, -0.5f, -0.375f, 0.75f, -0.1875f,
    -0.4375f, 0.6875f, -0.5f, -0.1875f, 0.3125f, 0.125f, -0.875f, -1.0f, 0.75f, 0.5f, 0.6875f, 0.0625f,
    0.625f, -0.375f, -0.125f, 0.625f, -0.75f, -0.375f, -0.75f, -0.125f, 1.0f, -0.75f, -0.25f, -0.1875f,
    0.8125f, -0.625f, 0.0f, -0.5f, -1.0f, 0.5f, -0.875f, -0.4375f, 0.0f, 0.0f, -0.8125f, 1.0f
};
static const int32_t labels[4] = { 0, 1, 2, 0 };

#endif
