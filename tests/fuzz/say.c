#include "say.h"

#include <string.h>

#include "console/bytes.h"
#include "repair.h"
#include "vocabulary.h"

#define PIECE 240u          /* bytes of a file in one frame */
#define FORGED_LIMIT 4096u  /* bytes of forged slots */
#define RECORD_SIZE 32u     /* of a slot, in front of its file (slots.c) */
#define ERASE_UNIT 1024u

uint32_t talk_draw(talk *t, uint32_t limit)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return (uint32_t)((t->random >> 32) * limit >> 32);
}

/* Any number: most are such as break arithmetic. */
static uint32_t hostile(talk *t)
{
    static const uint32_t edges[] = {0,          1,          2,          3,          4,          16,         47,
                                     48,         64,         1024,       4096,       0x7FFFFFFC, 0x7FFFFFFF, 0x80000000,
                                     0x80000001, 0xFFFFFFF0, 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF};
    uint32_t edge = edges[talk_draw(t, sizeof edges / sizeof *edges)];
    switch (talk_draw(t, 4)) {
    case 0: return talk_draw(t, 600);
    case 1: return (uint32_t)t->random;
    default: return edge + talk_draw(t, 3) - 1;
    }
}

static void append(talk *t, const void *data, uint32_t size)
{
    require(size <= TALK_LIMIT - t->size);
    if (size != 0) {
        memcpy(t->bytes + t->size, data, size);
        t->size += size;
    }
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

static void type_line(talk *t)
{
    const char *line = typed_lines[talk_draw(t, TYPED_LINES)];
    append(t, line, (uint32_t)strlen(line));
}

static void type_part(talk *t)
{
    const char *line = typed_lines[talk_draw(t, TYPED_LINES)];
    append(t, line, talk_draw(t, (uint32_t)strlen(line)));
}

static void interrupt(talk *t)
{
    append(t, "\x03", 1);
}

static void noise(talk *t)
{
    for (uint32_t left = talk_draw(t, 40); left > 0; --left) {
        uint8_t byte = (uint8_t)talk_draw(t, 256);
        append(t, &byte, 1);
    }
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

void talk_frame(talk *t, uint32_t type, uint32_t sequence, const void *payload, uint32_t length)
{
    uint8_t header[CONSOLE_HEADER_SIZE] = {CONSOLE_START, (uint8_t)type, (uint8_t)sequence};
    uint8_t trailer[CONSOLE_TRAILER_SIZE];
    store_u16(header + 3, length);
    uint32_t crc = gm_crc32(0, header + 1, sizeof header - 1);
    store_u32(trailer, gm_crc32(crc, payload, length));
    append(t, header, sizeof header);
    append(t, payload, length);
    append(t, trailer, sizeof trailer);
}

static void request(talk *t, uint32_t type, const void *payload, uint32_t length)
{
    talk_frame(t, type, talk_draw(t, 256), payload, length);
}

/* Any message with any fields. */
static void ask_anything(talk *t)
{
    uint8_t payload[96];
    uint32_t type = talk_draw(t, CONSOLE_MESSAGE_LIMIT + 1);
    uint32_t length = request_size_of(type) + (talk_draw(t, 4) == 0 ? talk_draw(t, 48) : 0);
    for (uint32_t at = 0; at < length; at += 4) {
        store_u32(payload + at, hostile(t));
    }
    request(t, type, payload, length);
}

/* Bytes of any source, at any offset. */
static void read_anything(talk *t)
{
    read_request wanted;
    wanted.source = (uint8_t)talk_draw(t, 9);
    wanted.program = (uint8_t)talk_draw(t, 6);
    wanted.role = (uint8_t)talk_draw(t, 5);
    wanted.index = (uint16_t)talk_draw(t, 4);
    wanted.offset = hostile(t);
    wanted.length = (uint16_t)(talk_draw(t, 2) ? talk_draw(t, 256) : hostile(t));
    request(t, CONSOLE_READ, &wanted, sizeof wanted);
}

/* Some of an input or a label: it then counts as sent, and programs run. */
static void send_samples(talk *t)
{
    uint8_t payload[sizeof(data_u8_request) + 4] = {0};
    data_u8_request *sent = (void *)payload;
    sent->role = (uint8_t)talk_draw(t, 2);
    sent->scale = 1.0f / 128;
    store_u32(sent->data, talk_draw(t, 2) ? hostile(t) : 0);
    request(t, CONSOLE_DATA_U8, payload, sizeof payload);
}

static void damage(talk *t)
{
    uint32_t start = t->size;
    ask_anything(t);
    t->bytes[start + talk_draw(t, t->size - start)] ^= (uint8_t)(1u << talk_draw(t, 8));
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static void begin_file(talk *t, uint32_t type, uint32_t size)
{
    uint8_t payload[4];
    store_u32(payload, size);
    request(t, type, payload, sizeof payload);
}

static void send_pieces(talk *t, uint32_t type, const uint8_t *file, uint32_t size)
{
    uint8_t payload[4 + PIECE];
    for (uint32_t at = 0; at < size; at += PIECE) {
        uint32_t count = size - at < PIECE ? size - at : PIECE;
        store_u32(payload, at);
        memcpy(payload + 4, file + at, count);
        talk_frame(t, type, at / PIECE, payload, 4 + count);
    }
}

/* Whole, or broken off. */
static uint32_t some_of(talk *t, uint32_t size)
{
    return talk_draw(t, 4) != 0 ? size : talk_draw(t, size / 4) * 4;
}

static void send_image(talk *t)
{
    uint32_t which = talk_draw(t, 2), size = t->image_sizes[which];
    begin_file(t, CONSOLE_IMAGE_BEGIN, size);
    send_pieces(t, CONSOLE_IMAGE_DATA, t->images[which], some_of(t, size));
    request(t, CONSOLE_IMAGE_END, NULL, 0);
}

static void send_update(talk *t)
{
    uint32_t which = talk_draw(t, 2), size = t->image_sizes[which];
    uint8_t carry = (uint8_t)talk_draw(t, 2);
    begin_file(t, CONSOLE_UPDATE_BEGIN, size);
    send_pieces(t, CONSOLE_IMAGE_DATA, t->images[which], some_of(t, size));
    request(t, CONSOLE_UPDATE_END, &carry, sizeof carry);
}

/* ---- Forged checkpoints ---------------------------------------------------------------------------------------------- */

static int write_memory(void *user, uint32_t offset, const void *data, uint32_t size)
{
    memcpy((uint8_t *)user + offset, data, size);
    return 0;
}

/* A right checkpoint with another state; then, perhaps, with other numbers in its header. Returns its size. */
static uint32_t forge_file(talk *t, const gm_session *session, uint8_t *file)
{
    gm_session copy = *session;
    gm_checkpoint header;
    copy.pc = NULL; /* even while a program runs */
    require(gm_checkpoint_save(&copy, write_memory, file) == GM_OK);
    memcpy(&header, file, sizeof header);
    uint32_t size = header.size;
    if (talk_draw(t, 2) == 0) {
        uint32_t more = talk_draw(t, 5); /* bytes of names that nothing has */
        header.names_size += more;
        header.size = size += more;
    }
    if (talk_draw(t, 3) == 0) {
        uint32_t word = hostile(t);
        memcpy((uint8_t *)&header + talk_draw(t, sizeof header / 4) * 4, &word, sizeof word);
    }
    memcpy(file, &header, sizeof header);
    if (talk_draw(t, 4) != 0) {
        header.crc = gm_crc32(0, file + 16, size - 16);
        memcpy(file, &header, sizeof header);
    }
    return size;
}

/* Returns the bytes of the slot. */
static uint32_t forge_slot(talk *t, const gm_session *session, uint8_t *slot)
{
    uint32_t size = forge_file(t, session, slot + RECORD_SIZE);
    store_u32(slot, hostile(t));
    store_u32(slot + 4, talk_draw(t, 3) != 0 ? size : hostile(t));
    memcpy(slot + 8, session->header->model_id, sizeof session->header->model_id);
    store_u32(slot + 24, 0);
    store_u32(slot + 28, gm_crc32(0, slot, 28));
    uint32_t whole = RECORD_SIZE + gm_checkpoint_size(session);
    return (whole + ERASE_UNIT - 1) / ERASE_UNIT * ERASE_UNIT;
}

static void forge_slots(talk *t, const gm_session *session)
{
    static uint8_t forged[FORGED_LIMIT];
    uint32_t size = 0, room = RECORD_SIZE + (session != NULL ? gm_checkpoint_size(session) : FORGED_LIMIT);
    memset(forged, 0xFF, sizeof forged);
    while (size + room + ERASE_UNIT <= sizeof forged && (size == 0 || talk_draw(t, 4) != 0)) {
        size += forge_slot(t, session, forged + size);
    }
    begin_file(t, CONSOLE_CHECKPOINT_BEGIN, size);
    send_pieces(t, CONSOLE_CHECKPOINT_DATA, forged, some_of(t, size));
    uint32_t end = talk_draw(t, 3) == 0 ? CONSOLE_CHECKPOINT_END : CONSOLE_SAVE;
    request(t, end, NULL, 0);
}

/* ---- One step ---------------------------------------------------------------------------------------------------------- */

static void say(talk *t, const gm_session *session)
{
    switch (talk_draw(t, 32)) {
    case 0: forge_slots(t, session); break;
    case 1: (talk_draw(t, 2) ? send_image : send_update)(t); break;
    case 2:
    case 3: interrupt(t); break;
    case 4: (talk_draw(t, 2) ? damage : noise)(t); break;
    default:
        switch (talk_draw(t, 8)) {
        case 0: type_part(t); break;
        case 1:
        case 2: type_line(t); break;
        case 3: read_anything(t); break;
        case 4: send_samples(t); break;
        default: ask_anything(t); break;
        }
    }
}

/* Two streams become one; each keeps its order. */
static void mix(talk *t, uint32_t first_size)
{
    static uint8_t mixed[TALK_LIMIT];
    uint32_t first = 0, second = first_size;
    for (uint32_t i = 0; i < t->size; ++i) {
        int takes_first = second == t->size || (first < first_size && talk_draw(t, 2) == 0);
        mixed[i] = t->bytes[takes_first ? first++ : second++];
    }
    memcpy(t->bytes, mixed, t->size);
}

void talk_step(talk *t, const gm_session *session)
{
    t->size = 0;
    say(t, session);
    if (talk_draw(t, 8) == 0 && t->size <= TALK_LIMIT / 4) {
        uint32_t first_size = t->size;
        say(t, session);
        mix(t, first_size);
    }
}
