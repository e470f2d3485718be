/*
 * The state as a checkpoint has it: stretches of bytes as in memory and, where the encoding packs them, state entries
 * (docs/SPEC.md, "Packed entries").
 */
#ifndef GM_STATE_SEGMENTS_H
#define GM_STATE_SEGMENTS_H

#include "gradmote.h"

/* Whether an entry is packed that comes when `at` bytes of the state have come. Any entry may be asked. */
static inline int gm_is_packed(const gm_state_entry *entry, uint32_t encoding, uint32_t at)
{
    int is_numbers = entry->role == GM_STATE_ROLE_PARAMETER || entry->role == GM_STATE_ROLE_SLOT ||
                     entry->role == GM_STATE_ROLE_STATISTIC;
    return encoding == GM_ENCODING_HALF && is_numbers && entry->dtype == GM_DTYPE_F32 && entry->offset >= at &&
           entry->size >= GM_PACKED_SIZE;
}

/* Bytes in the file of a packed entry that has `size` in memory: scale, halves, and padding to a whole word. */
static inline uint32_t gm_packed_size(uint32_t size)
{
    return 4 + (size / 4 + 1) / 2 * 4;
}

/* A walk over the segments: zero but for the first four members, then gm_next_segment() until that returns 0. */
typedef struct gm_segments {
    const gm_state_entry *entry; /* the next that may be packed */
    const gm_state_entry *end;
    uint32_t encoding;
    uint32_t state_size;
    uint32_t at;                 /* of the piece: bytes from the start of the state, and how many in memory */
    uint32_t size;
    int is_packed;
} gm_segments;

/* Of an open session's own table, which is verified. */
gm_segments gm_segments_of(const gm_session *session, uint32_t encoding);
int gm_next_segment(gm_segments *segments);

/* Bytes of the whole state in a file. */
uint32_t gm_state_in_file(const gm_session *session, uint32_t encoding);

#endif
