/* Draws what arrives at a board within one step of a conversation: typed text, frames that are right, hostile or
 * corrupt, forged checkpoint records, images; and any two of them mixed byte by byte. */
#ifndef SAY_H
#define SAY_H

#include <stdint.h>

#include "gradmote.h"

#define TALK_LIMIT (40u << 10)

typedef struct talk {
    uint64_t random; /* not 0 */
    const uint8_t *images[2]; /* that are sent */
    uint32_t image_sizes[2];
    uint32_t size; /* bytes of what is said */
    uint8_t bytes[TALK_LIMIT];
} talk;

/* 0 .. limit - 1. */
uint32_t talk_draw(talk *t, uint32_t limit);

/* Replaces the last step with the next one. session: of the board's open model, or NULL. */
void talk_step(talk *t, const gm_session *session);

/* Appends a request whose checksum is right. */
void talk_frame(talk *t, uint32_t type, uint32_t sequence, const void *payload, uint32_t length);

#endif
