/* Frames of the binary protocol (docs/CONSOLE.md): receiving byte by byte, and sending. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>

#include "console_spec.h"

/* Bytes of payload that this board takes and sends at most; the host asks for it. A multiple of
 * 4. */
#define FRAME_LIMIT BOARD_FRAME_LIMIT
typedef char
    frame_limit_fits[FRAME_LIMIT <= CONSOLE_PAYLOAD_LIMIT && FRAME_LIMIT >= 160 && FRAME_LIMIT % 4 == 0 ? 1 : -1];

enum frame_event { FRAME_MORE, FRAME_READY };

/* One frame while it arrives. Zero-initialise. */
typedef struct frame_receiver {
    uint32_t fill;        /* bytes received of the current frame, 0 before and behind it */
    int skipping;         /* 1 after a damaged frame: its remains are not to be taken for text or frames */
    uint32_t last_byte;   /* board_ticks() when a byte came last */
    uint32_t empty_polls; /* since then */
    uint32_t line_errors; /* frames dropped since start-up */
    uint8_t bytes[CONSOLE_HEADER_SIZE + FRAME_LIMIT + CONSOLE_TRAILER_SIZE];
} frame_receiver;

/* Takes a byte for which frame_wants() is 1. After FRAME_READY the frame stays until another one
 * begins (frame_begins()). */
enum frame_event frame_feed(frame_receiver *receiver, uint8_t byte);

/* Returns 1 if the next byte belongs to a frame, or to the remains of one, even if its start was
 * lost. */
int frame_wants(const frame_receiver *receiver, uint8_t byte);

/* Returns 1 once the line is quiet after a damaged or incomplete frame: the host may then send it
 * again. To be called when no byte has come. */
int frame_recovered(frame_receiver *receiver);

/* Returns 1 if part of a frame has come, which has overwritten the one before. */
int frame_begins(const frame_receiver *receiver);

/* The parts of a frame. Valid after FRAME_READY. */
uint8_t frame_type(const frame_receiver *receiver);
uint8_t frame_sequence(const frame_receiver *receiver);
uint32_t frame_length(const frame_receiver *receiver);
const uint8_t *frame_payload(const frame_receiver *receiver);

/* Sends a frame. length: at most FRAME_LIMIT. */
void frame_send(uint8_t type, uint8_t sequence, const uint8_t *payload, uint32_t length);

#endif
