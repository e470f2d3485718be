/*
 * Power and flash that fail in sequences of requests: `cut CONVERSATIONS REQUESTS SEED` draws them, under ASan and UBSan.
 *
 * Each request that changes flash is tried on copies of the board (fork()): whole, then with a fault in some change of
 * flash, or in each with EVERY_CUT=1, and perhaps with power that fails again while the board starts. What a restart then
 * finds (image, state, base of a round) must be that of before the request or of after it; the state may also be the one
 * in RAM, which updates and rounds save first. A request that was answered with OK is done. Two slots hold a base and
 * one save; the next base takes the place of that, and until it is there a restart finds the state of the old base.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../c/runtime/builder.h"
#include "console/bytes.h"
#include "host_firmware.h"
#include "repair.h"
#include "say.h"
#include "storage/slots.h"
#include "training/federated.h"

#define PIECE 128u     /* bytes of a file in one frame */
#define LATEST 4096u   /* rounds of the main loop that an answer takes */
#define CHANGES_TRIED 3u

/* What a restart finds, each by its digest. */
typedef struct durable {
    uint64_t image, state, base;
    uint32_t round;
    uint64_t state_of_base; /* that was saved with it */
} durable;

typedef struct outcome {
    durable found;
    int32_t error;    /* of the answer; 0: OK, 1: none came, as power failed */
    uint32_t changes; /* of flash, up to the answer or the fault */
    uint32_t again;   /* of flash, while the board started */
} outcome;

typedef struct faults {
    struct host_flash first; /* in the request */
    struct host_flash second; /* at the start after it */
} faults;

enum kind { TRAIN, SAVE, LOAD, BASE, NO_BASE, END_ROUND, CHECKPOINT, UPDATE, KINDS };

typedef struct request {
    enum kind kind;
    uint32_t number; /* of a round; of an image */
    uint32_t carry;
    uint64_t random;
} request;

static const char *const names[KINDS] = {"TRAIN",         "SAVE",      "LOAD",       "ROUND_BEGIN",
                                         "ROUND_BEGIN 0", "DELTA_END", "CHECKPOINT", "UPDATE"};
static block images[2];
static uint32_t image_sizes[2];
static talk line;
static frame_receiver heard;
static int32_t answer; /* of the request that was sent last; INT32_MAX: none yet */
static outcome *shared; /* with copies of this process */

/* ---- The line -------------------------------------------------------------------------------------------------------- */

void host_sent(uint8_t byte)
{
    if (frame_wants(&heard, byte) && frame_feed(&heard, byte) == FRAME_READY &&
        frame_type(&heard) != CONSOLE_ALIVE_TYPE) {
        answer = frame_type(&heard) == CONSOLE_ERROR_TYPE ? (int32_t)load_u32(frame_payload(&heard)) : 0;
    }
}

/* Sends a request, and returns the error that it is answered with. */
static int32_t ask(uint32_t type, const void *payload, uint32_t length)
{
    static uint32_t sequence;
    line.size = 0;
    talk_frame(&line, type, ++sequence & 0xFFu, payload, length);
    answer = INT32_MAX;
    host_receive(line.bytes, line.size);
    for (uint32_t left = LATEST; answer == INT32_MAX; --left) {
        require(left > 0);
        firmware_poll();
    }
    return answer;
}

static int32_t ask_about(uint32_t type, uint32_t number)
{
    uint8_t payload[4];
    store_u32(payload, number);
    return ask(type, payload, sizeof payload);
}

/* Sends a file in pieces; each begins with its offset. */
static int32_t send_file(uint32_t begin, uint32_t data, const uint8_t *file, uint32_t size)
{
    uint8_t payload[4 + PIECE];
    int32_t error = ask_about(begin, size);
    for (uint32_t at = 0; at < size && error == 0; at += PIECE) {
        uint32_t count = size - at < PIECE ? size - at : PIECE;
        store_u32(payload, at);
        memcpy(payload + 4, file + at, count);
        error = ask(data, payload, 4 + count);
    }
    return error;
}

/* ---- Requests ---------------------------------------------------------------------------------------------------------- */

static gm_session *session_now(void)
{
    require(the_device.model.status == 0);
    return &the_device.model.session;
}

/* Gives the parameters other numbers, as steps do. */
static void train(gm_session *session, uint64_t random)
{
    static float numbers[1024];
    gm_view all;
    talk drawn = {.random = random | 1};
    require(gm_parameters(session, &all) == GM_OK && all.size <= sizeof numbers);
    for (uint32_t i = 0; i < all.size / 4; ++i) {
        numbers[i] = (float)talk_draw(&drawn, 1000) / 500.0f - 1.0f;
    }
    require(gm_set_parameters(session, numbers, all.size) == GM_OK);
}

static int write_memory(void *user, uint32_t offset, const void *data, uint32_t size)
{
    memcpy((uint8_t *)user + offset, data, size);
    return 0;
}

/* The checkpoint of another state. */
static int32_t send_checkpoint(uint64_t random)
{
    static uint8_t file[HOST_CHECKPOINT_AREA];
    static block arena;
    gm_session other;
    const gm_session *own = session_now();
    uint32_t size = gm_checkpoint_size(own);
    require(size <= sizeof file);
    require(gm_open(&other, own->image, own->header->size, arena.bytes, sizeof arena.bytes) == GM_OK);
    train(&other, random);
    require(gm_checkpoint_save(&other, write_memory, file) == GM_OK);
    gm_close(&other);
    int32_t error = send_file(CONSOLE_CHECKPOINT_BEGIN, CONSOLE_CHECKPOINT_DATA, file, size);
    return error ? error : ask(CONSOLE_CHECKPOINT_END, NULL, 0);
}

/* The device's own delta, of 8 bits, as the mean of all. */
static int32_t end_round(void)
{
    static uint8_t delta[4096];
    gm_federated_round round;
    require(federated_round(&the_device.model, &round) == 0);
    round.bits = 8;
    uint32_t size = gm_round_delta_size(session_now(), &round);
    require(size <= sizeof delta && gm_round_delta_part(session_now(), &round, 0, delta, size) == GM_OK);
    int32_t error = send_file(CONSOLE_DELTA_BEGIN, CONSOLE_DELTA_DATA, delta, size);
    uint8_t end[5] = {8};
    return error ? error : ask(CONSOLE_DELTA_END, end, sizeof end);
}

static int32_t update(uint32_t which, uint8_t carry)
{
    int32_t error = send_file(CONSOLE_UPDATE_BEGIN, CONSOLE_IMAGE_DATA, images[which].bytes, image_sizes[which]);
    return error ? error : ask(CONSOLE_UPDATE_END, &carry, sizeof carry);
}

static int32_t perform(const request *r)
{
    switch (r->kind) {
    case SAVE: return ask(CONSOLE_SAVE, NULL, 0);
    case LOAD: return ask(CONSOLE_LOAD, NULL, 0);
    case BASE: return ask_about(CONSOLE_ROUND_BEGIN, r->number);
    case NO_BASE: return ask_about(CONSOLE_ROUND_BEGIN, 0);
    case END_ROUND: return end_round();
    case CHECKPOINT: return send_checkpoint(r->random);
    case UPDATE: return update(r->number, (uint8_t)r->carry);
    default: train(session_now(), r->random); return 0;
    }
}

/* ---- What must hold ---------------------------------------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t digest(const void *data, uint32_t size)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint32_t i = 0; i < size; ++i) {
        hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001B3u;
    }
    return hash;
}

/* Returns the digest of a state, except gradients, which are not kept. */
static uint64_t digest_of_state(const gm_session *session, const uint8_t *state)
{
    static uint8_t copy[HOST_ARENA];
    memcpy(copy, state, session->header->state_size);
    ((gm_control *)(void *)(copy + session->header->control_offset))->accumulated = 0;
    return digest(copy, session->header->state_size);
}

/* Returns what the board has now. */
static durable durable_now(void)
{
    const gm_session *session = session_now();
    durable found;
    memset(&found, 0, sizeof found);
    flash_span base = slots_base(session, &found.round);
    found.image = digest(session->image, session->header->size);
    found.state = digest_of_state(session, session->arena);
    found.base = digest(base.base, base.size);
    found.state_of_base = base.base != NULL ? digest_of_state(session, base.base) : 0; /* its parameters come first */
    return found;
}

static int is_same(const durable *a, const durable *b)
{
    return a->image == b->image && a->state == b->state && a->base == b->base && a->round == b->round;
}

/* Whether only the state was saved since `before`, or is that of the base. */
static int is_before(const durable *found, const durable *before, const durable *ram)
{
    durable saved = *before, fallen_back = *before;
    saved.state = ram->state;
    fallen_back.state = before->state_of_base;
    int may_fall_back = before->round != 0 && slots_count(session_now()) == 2;
    return is_same(found, before) || is_same(found, &saved) || (may_fall_back && is_same(found, &fallen_back));
}

static void restart(void)
{
    memset(&heard, 0, sizeof heard);
    host_receive(NULL, 0);
    firmware_start();
}

/* In a copy of the board: performs the request with faults, restarts, and writes the outcome. r: NULL for none. */
static void be_tried(const request *r, const faults *f)
{
    volatile int stage = 0; /* 1: starts the first time after the request */
    shared->error = 1;
    host_flash = f->first;
    if (setjmp(host_restart) == 0) {
        shared->error = r != NULL ? perform(r) : 0;
    }
    shared->changes = host_flash.changes;
    host_flash = f->second;
    if (setjmp(host_restart) == 0) {
        stage = 1;
        restart();
        shared->again = host_flash.changes;
    }
    memset(&host_flash, 0, sizeof host_flash);
    if (stage == 1 && f->second.at != 0) {
        restart();
    }
    shared->found = durable_now();
}

static outcome tried(const request *r, const faults *f)
{
    memset(shared, 0, sizeof *shared);
    fflush(stdout);
    pid_t copy = fork();
    require(copy >= 0);
    if (copy == 0) {
        be_tried(r, f);
        _exit(0);
    }
    int status;
    require(waitpid(copy, &status, 0) == copy && status == 0);
    return *shared;
}

static void fail(const request *r, const faults *f, const outcome *found)
{
    static const char *const kinds[] = {"power cut", "error", "errors from then on"};
    fprintf(
        stderr,
        "of %u slots, a third state: %s (%u, carry %u), change %u of flash: %s after %u/256; at the start: change %u; answer %d\n",
        slots_count(session_now()), names[r->kind], r->number, r->carry, f->first.at, kinds[f->first.fault],
        f->first.part, f->second.at, found->error);
    abort();
}

/* ---- Conversations ------------------------------------------------------------------------------------------------------- */

static unsigned long tries;
static unsigned long asked[KINDS], done[KINDS];

static struct host_flash fault_at(talk *t, uint32_t at)
{
    struct host_flash found = {0, at, (enum host_fault)talk_draw(t, 3), talk_draw(t, 257)};
    return found;
}

/* One fault, and perhaps a second one at the start after it. */
static void try_fault(talk *t, const request *r, const outcome *whole, uint32_t at, const durable *before,
                      const durable *ram)
{
    faults f = {fault_at(t, at), {0}};
    outcome once = tried(r, &f);
    if (once.again != 0) {
        f.second = fault_at(t, 1 + talk_draw(t, once.again));
        f.second.fault = HOST_POWER_CUT;
    }
    outcome found = f.second.at != 0 ? tried(r, &f) : once;
    tries += f.second.at != 0 ? 2 : 1;
    const outcome *both[] = {&once, &found};
    for (int i = 0; i < 2; ++i) {
        int is_done = is_same(&both[i]->found, &whole->found);
        if (!is_done && (both[i]->error == 0 || !is_before(&both[i]->found, before, ram))) {
            fail(r, &f, both[i]);
        }
    }
}

static void try_faults(talk *t, const request *r, int every)
{
    const faults none = {{0}, {0}};
    durable ram = durable_now(), before = tried(NULL, &none).found;
    outcome whole = tried(r, &none);
    ++asked[r->kind];
    done[r->kind] += whole.error == 0;
    if (whole.error != 0 && !is_before(&whole.found, &before, &ram)) {
        fail(r, &none, &whole);
    }
    uint32_t count = every ? whole.changes : whole.changes < CHANGES_TRIED ? whole.changes : CHANGES_TRIED;
    for (uint32_t i = 0; i < count; ++i) {
        try_fault(t, r, &whole, every ? i + 1 : 1 + talk_draw(t, whole.changes), &before, &ram);
    }
}

static request draw_request(talk *t)
{
    static const enum kind often[] = {TRAIN, TRAIN,   TRAIN,   SAVE,      SAVE,      LOAD,       BASE,  BASE,
                                      BASE,  NO_BASE, NO_BASE, END_ROUND, END_ROUND, CHECKPOINT, UPDATE};
    request r = {often[talk_draw(t, sizeof often / sizeof *often)], 0, talk_draw(t, 2), t->random};
    r.number = r.kind == UPDATE ? talk_draw(t, 2) : 1 + talk_draw(t, 9);
    return r;
}

/* Now and then power fails for good, and the board goes on from there. */
static void go_on(talk *t, const request *r)
{
    struct host_flash fault = fault_at(t, talk_draw(t, 4) == 0 ? 1 + talk_draw(t, 6) : 0);
    fault.fault = HOST_POWER_CUT;
    host_flash = fault;
    if (setjmp(host_restart) == 0) {
        perform(r);
    } else {
        restart();
    }
    memset(&host_flash, 0, sizeof host_flash);
}

static void converse(talk *t, uint32_t requests, int every)
{
    restart();
    while (requests-- > 0) {
        request r = draw_request(t);
        if (r.kind != TRAIN && r.kind != LOAD) {
            try_faults(t, &r, every);
        }
        go_on(t, &r);
    }
}

int main(int argc, char **argv)
{
    static const uint32_t sizes[] = {2048, 3072, 4096, HOST_CHECKPOINT_AREA}; /* of slots of 1 KB */
    static talk drawn;
    require(argc == 4);
    uint32_t conversations = (uint32_t)strtoul(argv[1], NULL, 10), requests = (uint32_t)strtoul(argv[2], NULL, 10);
    const char *every = getenv("EVERY_CUT");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(shared != MAP_FAILED);
    image_sizes[0] = build_tiny(images[0].bytes);
    image_sizes[1] = build_tiny_like(images[1].bytes, 7, "bias", 0);
    image_sizes[1] += build_export_table(images[1].bytes, image_sizes[1]);
    for (uint32_t i = 0; i < conversations; ++i) {
        drawn.random = (strtoull(argv[3], NULL, 10) + i) * 0x9E3779B97F4A7C15u + 1;
        host_checkpoint_size = sizes[talk_draw(&drawn, sizeof sizes / sizeof *sizes)];
        host_board_init(images[i % 2].bytes, image_sizes[i % 2]);
        converse(&drawn, requests, every != NULL && *every == '1');
    }
    for (int kind = 0; kind < KINDS; ++kind) {
        if (asked[kind] != 0) {
            printf("%-16s %6lu asked, %6lu done\n", names[kind], asked[kind], done[kind]);
        }
    }
    printf("%u conversations of %u requests, %lu faults of flash, 0 third states\n", conversations, requests, tries);
    return 0;
}
