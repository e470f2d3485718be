/* Memory with nothing around it: reading or writing past an end of it faults, however far. */
#ifndef GUARD_H
#define GUARD_H

#include <stdint.h>

#ifndef GUARD_LIMIT
#define GUARD_LIMIT (1u << 20) /* bytes of one piece at most */
#endif

/* Which end of the piece touches what faults; canaries watch the other. */
enum guard_end { GUARD_BELOW, GUARD_ABOVE };

/* Zero-initialize. */
typedef struct guard {
    uint8_t *room; /* GUARD_LIMIT bytes, nothing on both sides; NULL before the first guard_take() */
    uint8_t *piece;
    uint32_t size;
} guard;

/* A room. */
uint8_t *guard_reserve(void);

/* A piece, 16-byte aligned, that may be written; it takes the place of the one before. */
uint8_t *guard_take(guard *g, uint32_t size, enum guard_end end);

/* 1 if nothing around the piece was written. */
int guard_is_whole(const guard *g);

/* From now on (1) or no longer (0) writing to the piece faults too. */
void guard_protect(guard *g, int protect);

#endif
