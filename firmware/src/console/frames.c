#include "console/frames.h"

#include "board.h"
#include "console/bytes.h"
#include "gradmote.h"

#define QUIET_POLLS 10u
#define NEVER_TYPED 0u /* but part of nearly every frame: in lengths, and in the high bytes of numbers */

uint8_t frame_type(const frame_receiver *receiver)
{
    return receiver->bytes[1];
}

uint8_t frame_sequence(const frame_receiver *receiver)
{
    return receiver->bytes[2];
}

uint32_t frame_length(const frame_receiver *receiver)
{
    return load_u16(receiver->bytes + 3);
}

const uint8_t *frame_payload(const frame_receiver *receiver)
{
    return receiver->bytes + CONSOLE_HEADER_SIZE;
}

int frame_wants(const frame_receiver *receiver, uint8_t byte)
{
    return receiver->skipping || receiver->fill > 0 || byte == CONSOLE_START || byte == NEVER_TYPED;
}

int frame_begins(const frame_receiver *receiver)
{
    return receiver->fill > 0;
}

static void drop(frame_receiver *receiver)
{
    receiver->fill = 0;
    receiver->skipping = 1;
    ++receiver->line_errors;
}

static int checksum_matches(const frame_receiver *receiver)
{
    uint32_t covered = CONSOLE_HEADER_SIZE - 1 + frame_length(receiver);
    return gm_crc32(0, receiver->bytes + 1, covered) == load_u32(receiver->bytes + 1 + covered);
}

/* Examines the frame received so far: FRAME_READY if it is complete and valid. Drops a frame that
 * cannot become valid. */
static enum frame_event examine(frame_receiver *receiver)
{
    if (receiver->fill < CONSOLE_HEADER_SIZE) {
        return FRAME_MORE;
    }
    uint32_t length = frame_length(receiver);
    if (length > FRAME_LIMIT) {
        drop(receiver);
        return FRAME_MORE;
    }
    if (receiver->fill < CONSOLE_HEADER_SIZE + length + CONSOLE_TRAILER_SIZE) {
        return FRAME_MORE;
    }
    if (!checksum_matches(receiver)) {
        drop(receiver);
        return FRAME_MORE;
    }
    receiver->fill = 0;
    return FRAME_READY;
}

enum frame_event frame_feed(frame_receiver *receiver, uint8_t byte)
{
    receiver->last_byte = board_ticks();
    receiver->empty_polls = 0;
    if (receiver->skipping) {
        return FRAME_MORE;
    }
    if (receiver->fill == 0 && byte != CONSOLE_START) {
        drop(receiver);
        return FRAME_MORE;
    }
    receiver->bytes[receiver->fill++] = byte;
    return examine(receiver);
}

/* Counts polls as well as time, so that a board that was held up itself does not blame the line. */
int frame_recovered(frame_receiver *receiver)
{
    uint32_t limit = BOARD_TICKS_PER_SECOND / 1000 * CONSOLE_BYTE_TIMEOUT_MS;
    if (receiver->fill == 0 && !receiver->skipping) {
        return 0;
    }
    ++receiver->empty_polls;
    if (receiver->empty_polls < QUIET_POLLS || board_ticks() - receiver->last_byte < limit) {
        return 0;
    }
    if (!receiver->skipping) {
        drop(receiver);
    }
    receiver->skipping = 0;
    return 1;
}

static void put_bytes(const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        board_uart_put(bytes[i]);
    }
}

void frame_send(uint8_t type, uint8_t sequence, const uint8_t *payload, uint32_t length)
{
    uint8_t header[CONSOLE_HEADER_SIZE] = {CONSOLE_START, type, sequence, (uint8_t)length, (uint8_t)(length >> 8)};
    uint8_t trailer[CONSOLE_TRAILER_SIZE];
    uint32_t crc = gm_crc32(0, header + 1, sizeof header - 1);
    store_u32(trailer, gm_crc32(crc, payload, length));
    put_bytes(header, sizeof header);
    put_bytes(payload, length);
    put_bytes(trailer, sizeof trailer);
}
