/* Little-endian numbers at unaligned addresses. */
#ifndef BYTES_H
#define BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint32_t load_u16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t load_u32(const uint8_t *p)
{
    return load_u16(p) | load_u16(p + 2) << 16;
}

static inline float load_f32(const uint8_t *p)
{
    uint32_t bits = load_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void store_u16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static inline void store_u32(uint8_t *p, uint32_t value)
{
    store_u16(p, value);
    store_u16(p + 2, value >> 16);
}

#endif
