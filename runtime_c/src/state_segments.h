/*
 * Divides the state into segments, in the order of a checkpoint. A segment is either a packed state
 * entry (docs/SPEC.md, "Packed entries") or plain bytes as in memory.
 */
#ifndef GM_STATE_SEGMENTS_H
#define GM_STATE_SEGMENTS_H

#include "gradmote.h"

/* Returns whether the encoding packs an entry. at: bytes of the state before this segment; an entry
 * that begins before `at` is not packed. */
static inline int gm_is_packed(const gm_state_entry *entry, uint32_t encoding, uint32_t at)
{
    int is_numbers = entry->role == GM_STATE_ROLE_PARAMETER || entry->role == GM_STATE_ROLE_SLOT ||
                     entry->role == GM_STATE_ROLE_STATISTIC;
    return encoding == GM_ENCODING_HALF && is_numbers && entry->dtype == GM_DTYPE_F32 && entry->offset >= at &&
           entry->size >= GM_PACKED_SIZE;
}

/* Returns the size in bytes of a packed entry in the file: scale, halves, and padding to a whole
 * word. size: its bytes in memory. */
static inline uint32_t gm_packed_size(uint32_t size)
{
    return 4 + (size / 4 + 1) / 2 * 4;
}

/* One segment of the state, and the position of the next. */
typedef struct gm_segments {
    const gm_state_entry *entry; /* the next entry that may be packed */
    const gm_state_entry *end;
    uint32_t encoding;
    uint32_t state_size;
    uint32_t at;                 /* offset of the segment in the state, in bytes */
    uint32_t size;               /* its bytes in memory */
    int is_packed;
} gm_segments;

/* Returns an iterator over the segments of an open session's state, before the first one. */
gm_segments gm_segments_of(const gm_session *session, uint32_t encoding);
/* Advances to the next segment. Returns 0 if there is none. */
int gm_next_segment(gm_segments *segments);

/* Returns the size in bytes of the whole state in a file. */
uint32_t gm_state_in_file(const gm_session *session, uint32_t encoding);

#endif
