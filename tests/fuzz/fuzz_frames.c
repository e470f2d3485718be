/*
 * libFuzzer target: the whole firmware, fed with any bytes.
 *
 * The input is what arrives on the serial line: deliveries of two bytes that say how long, and that many bytes; the
 * line is quiet after each. mutate_frames.c makes deliveries of frames whose checksum is right, and of typed commands.
 * The board of host_board.c begins with a small model, which has a store if the first delivery is empty. It aborts if
 * flash is programmed that was not erased, or changes under an open model or a running program; the sanitizers watch
 * over the arena, both areas and the buffers of the frames.
 */
#include <string.h>

#include "../c/runtime/builder.h"
#include "console/bytes.h"
#include "host_firmware.h"

#define POLLS 200u      /* of a running program, before the next delivery */
#define QUIET_POLLS 24u /* long enough for a corrupt frame to be given up */

static struct {
    const uint8_t *next;
    size_t left;
} input;

void host_sent(uint8_t byte)
{
    (void)byte;
}

/* 0 at the end of the input. */
static int deliver(void)
{
    if (input.left < 2) {
        return 0;
    }
    size_t count = load_u16(input.next);
    input.next += 2;
    input.left -= 2;
    count = count < input.left ? count : input.left;
    host_receive(input.next, (uint32_t)count);
    input.next += count;
    input.left -= count;
    return 1;
}

static int is_busy(void)
{
    return host_bytes_left() != 0 || the_device.run.active || the_device.frame_ready;
}

static void settle(void)
{
    for (uint32_t polls = 0; polls < POLLS && is_busy(); ++polls) {
        firmware_poll();
    }
    for (uint32_t polls = 0; polls < QUIET_POLLS && host_bytes_left() == 0; ++polls) {
        firmware_poll();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static block images[2];
    static uint32_t sizes[2];
    if (sizes[0] == 0) {
        sizes[0] = build_tiny(images[0].bytes);
        sizes[1] = build_taught(images[1].bytes);
    }
    int taught = size >= 2 && load_u16(data) == 0;
    host_board_init(images[taught].bytes, sizes[taught]);
    input.next = data;
    input.left = size;
    (void)setjmp(host_restart); /* board_reset() comes back here */
    firmware_start();
    while (deliver()) {
        settle();
    }
    return 0;
}
