/* Frames of the binary protocol (docs/CONSOLE.md): receives them byte by byte, and sends them. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>

#include "console_spec.h"

/* Maximum payload in bytes that this board receives and sends; the host asks for it. A multiple of
 * 4. */
#define FRAME_LIMIT BOARD_FRAME_LIMIT
typedef char
    frame_limit_fits[FRAME_LIMIT <= CONSOLE_PAYLOAD_LIMIT && FRAME_LIMIT >= 160 && FRAME_LIMIT % 4 == 0 ? 1 : -1];

enum frame_event { FRAME_MORE, FRAME_READY };

/* A frame being received. Zero-initialize. */
typedef struct frame_receiver {
    uint32_t fill;        /* bytes received of the current frame, 0 between frames */
    int skipping;         /* 1 after a damaged frame: do not take the rest of it for text or frames */
    uint32_t last_byte;   /* board_ticks() at the last byte */
    uint32_t empty_polls; /* since the last byte */
    uint32_t line_errors; /* frames dropped since start-up */
    uint8_t bytes[CONSOLE_HEADER_SIZE + FRAME_LIMIT + CONSOLE_TRAILER_SIZE];
} frame_receiver;

/* Takes a byte for which frame_wants() is 1. After FRAME_READY the frame stays until the next one
 * begins (frame_begins()). */
enum frame_event frame_feed(frame_receiver *receiver, uint8_t byte);

/* Returns 1 if the next byte belongs to a frame, or to the rest of one whose start was lost. */
int frame_wants(const frame_receiver *receiver, uint8_t byte);

/* Returns 1 once the line is quiet after a damaged or incomplete frame, so the host may resend it.
 * Call this when no byte has come. */
int frame_recovered(frame_receiver *receiver);

/* Returns 1 if part of a new frame has come, and overwritten the last one. */
int frame_begins(const frame_receiver *receiver);

/* The parts of a frame, valid after FRAME_READY. */
uint8_t frame_type(const frame_receiver *receiver);
uint8_t frame_sequence(const frame_receiver *receiver);
uint32_t frame_length(const frame_receiver *receiver);
const uint8_t *frame_payload(const frame_receiver *receiver);

/* Sends a frame. length: at most FRAME_LIMIT. */
void frame_send(uint8_t type, uint8_t sequence, const uint8_t *payload, uint32_t length);

#endif
