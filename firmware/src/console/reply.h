/* Fills d->reply.payload field by field. The fixed parts of all replies are below FRAME_LIMIT by their spec. */
#ifndef REPLY_H
#define REPLY_H

#include <string.h>

#include "console/bytes.h"
#include "device/device.h"

static inline void reply_bytes(reply *r, const void *data, uint32_t count)
{
    memcpy(r->payload + r->length, data, count);
    r->length += count;
}

static inline void reply_u8(reply *r, uint32_t value)
{
    r->payload[r->length++] = (uint8_t)value;
}

static inline void reply_u16(reply *r, uint32_t value)
{
    store_u16(r->payload + r->length, value);
    r->length += 2;
}

static inline void reply_u32(reply *r, uint32_t value)
{
    store_u32(r->payload + r->length, value);
    r->length += 4;
}

static inline void reply_u64(reply *r, uint64_t value)
{
    reply_u32(r, (uint32_t)value);
    reply_u32(r, (uint32_t)(value >> 32));
}

static inline void reply_f32(reply *r, float value)
{
    reply_bytes(r, &value, sizeof value); /* every supported part is little-endian */
}

#endif
