/*
 * Conversations with the firmware, under ASan and UBSan: `converse CONVERSATIONS STEPS SEED` draws them (say.c), and
 * `converse FILE...` has those of files, as fuzz_frames.c reads them. Text and frames come mixed, in pieces of any
 * length, while programs run and while they do not.
 *
 * What must hold, whatever was said before: the firmware takes each byte within LATEST rounds of its main loop; after
 * Ctrl-C and INFO, INFO is answered and no program runs any more within as many; and if a save was reported as done, a
 * restart loads the very state. host_board.c aborts if flash is misused; nothing outside arena and flash is touched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../c/runtime/builder.h"
#include "console/bytes.h"
#include "host_firmware.h"
#include "repair.h"
#include "say.h"
#include "storage/slots.h"

#define LATEST 96u      /* rounds: the longest step of the models takes fewer slices, as do all batches of a score */
#define QUIET_ROUNDS 24u /* long enough for a corrupt frame to be given up */
#define LAST_SEQUENCE 0xA7u

/* Kept across board_reset(). */
static struct {
    talk talk;
    uint32_t taken;      /* bytes of this step's that were delivered */
    uint32_t step;
    frame_receiver heard;
    int answered;        /* 1: the last INFO was */
    unsigned long saves;
} now;

static block images[2];

/* ---- What must hold ------------------------------------------------------------------------------------------------ */

void host_sent(uint8_t byte)
{
    if (frame_wants(&now.heard, byte) && frame_feed(&now.heard, byte) == FRAME_READY) {
        uint32_t type = frame_type(&now.heard);
        now.answered |= type == (CONSOLE_INFO | CONSOLE_REPLY_BIT) && frame_sequence(&now.heard) == LAST_SEQUENCE;
    }
}

int __real_slots_save(const gm_session *session);
int __wrap_slots_save(const gm_session *session);

/* A restart loads the very state of every save that is reported as done. */
int __wrap_slots_save(const gm_session *session)
{
    static uint8_t arena[HOST_ARENA] __attribute__((aligned(16)));
    static uint8_t saved[HOST_ARENA];
    gm_session restarted;
    uint32_t size = session->header->state_size;
    int error = __real_slots_save(session);
    if (error) {
        return error;
    }
    memcpy(saved, session->arena, size);
    ((gm_control *)(void *)(saved + session->header->control_offset))->accumulated = 0; /* gradients are not kept */
    require(gm_open(&restarted, session->image, session->header->size, arena, sizeof arena) == GM_OK);
    require(slots_load(&restarted) == 0);
    require(memcmp(arena, saved, size) == 0);
    ++now.saves;
    return 0;
}

/* ---- One conversation -------------------------------------------------------------------------------------------------- */

static void poll(uint32_t rounds)
{
    while (rounds-- > 0) {
        firmware_poll();
    }
}

/* The next bytes of the step; each is taken in time. */
static void deliver(uint32_t count)
{
    uint32_t at = now.taken;
    now.taken += count;
    host_receive(now.talk.bytes + at, count);
    for (uint32_t left = LATEST + count; host_bytes_left() != 0; --left) {
        require(left > 0);
        firmware_poll();
    }
}

static void deliver_step(void)
{
    while (now.taken < now.talk.size) {
        uint32_t left = now.talk.size - now.taken;
        uint32_t count = talk_draw(&now.talk, 3) != 0 ? left : 1 + talk_draw(&now.talk, left);
        deliver(count);
        poll(talk_draw(&now.talk, 4));
    }
    if (talk_draw(&now.talk, 8) == 0) {
        poll(QUIET_ROUNDS);
    }
}

/* The line becomes quiet, which ends a corrupt frame; then Ctrl-C and INFO. */
static void check_that_it_serves(void)
{
    poll(QUIET_ROUNDS);
    now.talk.size = now.taken = 0;
    now.talk.bytes[now.talk.size++] = 0x03;
    talk_frame(&now.talk, CONSOLE_INFO, LAST_SEQUENCE, NULL, 0);
    now.answered = 0;
    memset(&now.heard, 0, sizeof now.heard);
    deliver(now.talk.size);
    for (uint32_t left = LATEST; !now.answered || the_device.run.active; --left) {
        require(left > 0);
        firmware_poll();
    }
    poll(QUIET_ROUNDS);
    require(!the_device.run.active);
}

static const gm_session *session_now(void)
{
    return the_device.model.status == 0 ? &the_device.model.session : NULL;
}

static void converse(uint32_t steps)
{
    now.step = 0;
    now.talk.size = now.taken = 0;
    (void)setjmp(host_restart); /* board_reset() comes back here */
    firmware_start();
    deliver_step();
    while (now.step++ < steps) {
        now.taken = 0;
        talk_step(&now.talk, session_now());
        deliver_step();
    }
    check_that_it_serves();
}

static void converse_often(uint32_t conversations, uint32_t steps, uint64_t seed)
{
    for (uint32_t i = 0; i < conversations; ++i) {
        now.talk.random = (seed + i) * 0x9E3779B97F4A7C15u + 1;
        host_board_init(now.talk.images[i % 2], now.talk.image_sizes[i % 2]);
        converse(steps);
    }
    printf("%u conversations of %u steps, 0 hangs; %lu saves told to be done, all of them loaded\n", conversations,
           steps, now.saves);
}

/* ---- Of files ------------------------------------------------------------------------------------------------------------ */

static struct {
    uint8_t bytes[64u << 10];
    size_t size;
    size_t at;
} script;

/* The next delivery; 0 at the end. */
static int next_delivery(void)
{
    if (script.size - script.at < 2) {
        return 0;
    }
    size_t count = load_u16(script.bytes + script.at), left = script.size - script.at - 2;
    count = count < left ? count : left;
    require(count <= TALK_LIMIT);
    memcpy(now.talk.bytes, script.bytes + script.at + 2, count);
    script.at += 2 + count;
    now.talk.size = (uint32_t)count;
    now.taken = 0;
    return 1;
}

static void follow(const char *path)
{
    FILE *file = fopen(path, "rb");
    require(file != NULL);
    script.size = fread(script.bytes, 1, sizeof script.bytes, file);
    script.at = 0;
    fclose(file);
    host_board_init(now.talk.images[0], now.talk.image_sizes[0]);
    (void)setjmp(host_restart);
    firmware_start();
    while (next_delivery()) {
        deliver(now.talk.size);
        poll(4);
    }
    check_that_it_serves();
}

int main(int argc, char **argv)
{
    now.talk.images[0] = images[0].bytes;
    now.talk.images[1] = images[1].bytes;
    now.talk.image_sizes[0] = build_tiny(images[0].bytes);
    now.talk.image_sizes[0] += build_export_table(images[0].bytes, now.talk.image_sizes[0]);
    now.talk.image_sizes[1] = build_taught(images[1].bytes);
    if (argc == 4 && strtoul(argv[1], NULL, 10) != 0) {
        converse_often((uint32_t)strtoul(argv[1], NULL, 10), (uint32_t)strtoul(argv[2], NULL, 10),
                       strtoull(argv[3], NULL, 10));
        return 0;
    }
    now.talk.random = 1;
    for (int i = 1; i < argc; ++i) {
        follow(argv[i]);
        printf("%s: served, %lu saves\n", argv[i], now.saves);
    }
    return argc < 2;
}
