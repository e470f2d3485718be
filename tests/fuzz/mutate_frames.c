/* Mutates what arrives on the serial line as what it is: deliveries, most of them a frame whose checksum is right. */
#include <string.h>

#include "console/bytes.h"
#include "gradmote.h"
#include "vocabulary.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

#define MAX_DELIVERIES 64u
#define INPUT_LIMIT (64u << 10)
#define LENGTH_SIZE 2u
#define FRAME_OVERHEAD (CONSOLE_HEADER_SIZE + CONSOLE_TRAILER_SIZE)

typedef struct delivery {
    uint8_t *bytes;
    uint32_t size;
} delivery;

/* The input taken apart. */
typedef struct line {
    delivery at[MAX_DELIVERIES];
    uint32_t count;
    uint32_t random;
} line;

static uint8_t store[INPUT_LIMIT + 4096];

static uint32_t draw(line *l, uint32_t limit)
{
    l->random = l->random * 1664525u + 1013904223u;
    return limit == 0 ? 0 : (l->random >> 8) % limit;
}

/* ---- Taking apart and putting together ------------------------------------------------------------------------------ */

static void take_apart(line *l, const uint8_t *data, size_t size)
{
    memcpy(store, data, size);
    for (size_t at = 0; size - at > LENGTH_SIZE && l->count < MAX_DELIVERIES - 1; ++l->count) {
        size_t length = load_u16(store + at);
        at += LENGTH_SIZE;
        length = length < size - at ? length : size - at;
        l->at[l->count] = (delivery){store + at, (uint32_t)length};
        at += length;
    }
}

static size_t put_together(const line *l, uint8_t *out, size_t limit)
{
    size_t size = 0;
    for (uint32_t i = 0; i < l->count && size + LENGTH_SIZE + l->at[i].size <= limit; ++i) {
        store_u16(out + size, l->at[i].size);
        memcpy(out + size + LENGTH_SIZE, l->at[i].bytes, l->at[i].size);
        size += LENGTH_SIZE + l->at[i].size;
    }
    return size;
}

static int is_frame(const delivery *d)
{
    return d->size >= FRAME_OVERHEAD && d->bytes[0] == CONSOLE_START;
}

/* Length and checksum of a frame that fills its delivery. */
static void seal(delivery *d)
{
    uint32_t covered = d->size - CONSOLE_TRAILER_SIZE - 1;
    store_u16(d->bytes + 3, d->size - FRAME_OVERHEAD);
    store_u32(d->bytes + 1 + covered, gm_crc32(0, d->bytes + 1, covered));
}

/* ---- Ways to mutate ------------------------------------------------------------------------------------------------- */

static void insert(line *l, delivery added)
{
    uint32_t at = draw(l, l->count + 1);
    memmove(&l->at[at + 1], &l->at[at], (l->count - at) * sizeof l->at[0]);
    l->at[at] = added;
    ++l->count;
}

static void insert_frame(line *l)
{
    static uint8_t frame[FRAME_OVERHEAD + 64];
    uint32_t type = draw(l, CONSOLE_MESSAGE_LIMIT + 1);
    uint32_t more = draw(l, 4) == 0 ? draw(l, 32) : 0;
    delivery d = {frame, FRAME_OVERHEAD + request_size_of(type) + more};
    frame[0] = CONSOLE_START;
    frame[1] = (uint8_t)type;
    frame[2] = (uint8_t)draw(l, 4);
    for (uint32_t i = CONSOLE_HEADER_SIZE; i < d.size; ++i) {
        frame[i] = (uint8_t)(draw(l, 3) == 0 ? draw(l, 256) : draw(l, 5));
    }
    seal(&d);
    insert(l, d);
}

static void insert_typed(line *l)
{
    const char *text = typed_lines[draw(l, TYPED_LINES)];
    insert(l, (delivery){(uint8_t *)(uintptr_t)text, (uint32_t)strlen(text)});
}

static void repeat(line *l)
{
    insert(l, l->at[draw(l, l->count)]);
}

static void drop(line *l)
{
    uint32_t at = draw(l, l->count);
    memmove(&l->at[at], &l->at[at + 1], (l->count - at - 1) * sizeof l->at[0]);
    --l->count;
}

static void swap(line *l)
{
    uint32_t a = draw(l, l->count), b = draw(l, l->count);
    delivery kept = l->at[a];
    l->at[a] = l->at[b];
    l->at[b] = kept;
}

/* The payload of a frame, which may grow; or any byte of what is not a frame. */
static void change(line *l)
{
    static uint8_t copy[FRAME_OVERHEAD + 2048];
    delivery *d = &l->at[draw(l, l->count)];
    if (!is_frame(d) || d->size > 1024) {
        (void)LLVMFuzzerMutate(d->bytes, d->size + 1, d->size + 1); /* the store has room after the last */
        return;
    }
    size_t payload = d->size - FRAME_OVERHEAD;
    memcpy(copy, d->bytes, d->size);
    copy[2] = (uint8_t)draw(l, 8);
    payload = LLVMFuzzerMutate(copy + CONSOLE_HEADER_SIZE, payload, payload + 64);
    *d = (delivery){copy, (uint32_t)payload + FRAME_OVERHEAD};
    seal(d);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static void (*const ways[])(line *) = {insert_frame, insert_typed, repeat, drop, swap, change, change};
    line l = {.count = 0, .random = seed};
    if (size > INPUT_LIMIT || draw(&l, 16) == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    take_apart(&l, data, size);
    ways[l.count == 0 ? 0 : draw(&l, sizeof ways / sizeof *ways)](&l);
    return put_together(&l, data, max_size);
}
