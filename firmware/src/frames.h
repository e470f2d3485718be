/* Frames of the binary protocol (docs/CONSOLE.md): receiving byte by byte, and sending. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>

#include "../generated/console_spec.h"

enum frame_event { FRAME_MORE, FRAME_READY, FRAME_DAMAGED };

/* One frame as it arrives. Zero-initialise. */
typedef struct frame_receiver {
    uint32_t fill;        /* bytes received of the current frame, 0 between frames */
    uint32_t last_byte;   /* board_ticks() of the last one */
    uint32_t line_errors; /* frames dropped since start-up */
    uint8_t bytes[CONSOLE_HEADER_SIZE + CONSOLE_PAYLOAD_LIMIT + CONSOLE_TRAILER_SIZE];
} frame_receiver;

/* Takes a byte: the start byte, or any other while fill > 0. After FRAME_READY the frame stays until
 * frame_release(); after FRAME_DAMAGED it is gone already. */
enum frame_event frame_feed(frame_receiver *receiver, uint8_t byte);

/* 1 where the frame's next byte is overdue; the frame is then dropped. */
int frame_timed_out(frame_receiver *receiver);

void frame_release(frame_receiver *receiver);

/* Valid after FRAME_READY. */
uint8_t frame_type(const frame_receiver *receiver);
uint8_t frame_sequence(const frame_receiver *receiver);
uint32_t frame_length(const frame_receiver *receiver);
const uint8_t *frame_payload(const frame_receiver *receiver);

/* length: at most CONSOLE_PAYLOAD_LIMIT. */
void frame_send(uint8_t type, uint8_t sequence, const uint8_t *payload, uint32_t length);

#endif
