/*
 * Pieces of another model's checkpoint: which are taken, that no bit of the others changes, and files with false
 * contents.
 */
#include <string.h>

#include "builder.h"
#include "checks.h"

#define PIECES 12u
#define FILE_SIZE 4096u

/* A piece of a model's state. Parameters come first. dims: as builder_state() takes them. */
typedef struct piece {
    const char *name; /* NULL: none */
    uint32_t role;
    uint32_t dims[2];
} piece;

typedef struct model {
    block image, arena;
    gm_session session;
    uint32_t offsets[PIECES];
} model;

/* A checkpoint, from whose n-th reading on storage fails or delivers wrong bytes, once; n = 0 never. */
typedef struct file {
    uint8_t bytes[FILE_SIZE];
    uint32_t size;
    uint32_t reads, fails_at, lies_at;
} file;

static model before, after;
static file saved;

/* ---- Models and files ------------------------------------------------------------------------------------------- */

static uint32_t add_piece(builder *b, const piece *p, uint32_t at)
{
    builder_state(b, p->name ? p->name : "", p->role, p->dims, at, GM_NONE);
    gm_state_entry *entry =
        (gm_state_entry *)(void *)((uint8_t *)b->bytes[GM_SECTION_STATE] + b->size[GM_SECTION_STATE] - sizeof *entry);
    entry->name = p->name ? entry->name : GM_NONE;
    b->header.parameters_size += p->role == GM_STATE_ROLE_PARAMETER ? entry->size : 0;
    if (p->role == GM_STATE_ROLE_CONTROL) {
        b->header.control_offset = at;
    } else if (p->role == GM_STATE_ROLE_PROPERTIES) {
        b->header.properties_offset = at;
        b->header.properties_count = entry->dims[0];
    }
    return entry->size;
}

/* Opens a model with these pieces. Its initial state is `fill` in all of its parameters' bytes. */
static void open_model(model *m, const piece *pieces, uint32_t id, uint8_t fill)
{
    static builder b;
    static uint8_t initial[1024];
    uint32_t at = 0;
    memset(m, 0, sizeof *m);
    builder_init(&b);
    for (uint32_t i = 0; pieces[i].dims[0] != 0; ++i) {
        m->offsets[i] = at;
        at += add_piece(&b, &pieces[i], at);
    }
    memset(initial, fill, b.header.parameters_size);
    builder_append(&b, GM_SECTION_INITIAL, initial, b.header.parameters_size);
    b.header.model_id[0] = id;
    b.header.batch = 1;
    b.header.properties_offset = b.header.properties_count != 0 ? b.header.properties_offset : at;
    b.header.state_size = b.header.gradients_offset = b.header.scratch_offset = b.header.arena_size = at;
    uint32_t size = builder_finish(&b, m->image.bytes);
    CHECK_STATUS(GM_OK, gm_open(&m->session, m->image.bytes, size, m->arena.bytes, sizeof m->arena.bytes));
}

/* Piece i of its state is bytes 16 i + 1, 16 i + 2, ... */
static void fill_state(model *m, const piece *pieces)
{
    for (uint32_t i = 0; pieces[i].dims[0] != 0; ++i) {
        uint32_t size = 4 * pieces[i].dims[0] * (pieces[i].dims[1] ? pieces[i].dims[1] : 1);
        for (uint32_t byte = 0; byte < size; ++byte) {
            m->arena.bytes[m->offsets[i] + byte] = (uint8_t)(16 * i + 1 + byte % 15);
        }
    }
}

static int file_write(void *user, uint32_t offset, const void *data, uint32_t size)
{
    memcpy(((file *)user)->bytes + offset, data, size);
    return 0;
}

static int file_read(void *user, uint32_t offset, void *data, uint32_t size)
{
    file *f = user;
    CHECK(offset <= f->size && size <= f->size - offset);
    memcpy(data, f->bytes + offset, size);
    ++f->reads;
    if (f->reads == f->lies_at && size != 0) {
        *(uint8_t *)data ^= 4;
    }
    return f->reads == f->fails_at ? -1 : 0;
}

static gm_checkpoint *header_of(file *f)
{
    return (gm_checkpoint *)(void *)f->bytes;
}

static gm_state_entry *entry_of(file *f, uint32_t index)
{
    return (gm_state_entry *)(void *)(f->bytes + sizeof(gm_checkpoint)) + index;
}

static void seal(file *f)
{
    header_of(f)->crc = gm_crc32(0, f->bytes + 16, f->size - 16);
}

static void save(const model *m, file *f)
{
    memset(f, 0, sizeof *f);
    f->size = gm_checkpoint_size(&m->session);
    CHECK_STATUS(GM_OK, gm_checkpoint_save(&m->session, file_write, f));
}

static int carry_over(model *m, file *f, uint32_t *carried)
{
    f->reads = 0;
    return gm_checkpoint_carry_over(&m->session, file_read, f, f->size, carried);
}

/* ---- Which pieces ------------------------------------------------------------------------------------------------ */

#define CONTROL {NULL, GM_STATE_ROLE_CONTROL, {sizeof(gm_control) / 4, 0}}

static const piece old_pieces[] = {{"features.weight", GM_STATE_ROLE_PARAMETER, {4, 3}},
                                   {"head.weight", GM_STATE_ROLE_PARAMETER, {2, 4}},
                                   {"head.bias", GM_STATE_ROLE_PARAMETER, {2, 0}},
                                   {"scale", GM_STATE_ROLE_PARAMETER, {4, 0}},
                                   {"gone", GM_STATE_ROLE_PARAMETER, {3, 0}},
                                   {"mean", GM_STATE_ROLE_STATISTIC, {4, 0}},
                                   CONTROL,
                                   {"features.weight.m", GM_STATE_ROLE_SLOT, {4, 3}},
                                   {"scale.m", GM_STATE_ROLE_SLOT, {4, 0}},
                                   {NULL, GM_STATE_ROLE_PROPERTIES, {2, 8}},
                                   {NULL, 0, {0, 0}}};

/* Another order, a head of three classes, "scale" of the same bytes in another shape, "feature" almost a name. */
static const piece new_pieces[] = {{"scale", GM_STATE_ROLE_PARAMETER, {2, 2}},
                                   {"feature", GM_STATE_ROLE_PARAMETER, {4, 3}},
                                   {"head.bias", GM_STATE_ROLE_PARAMETER, {3, 0}},
                                   {"features.weight", GM_STATE_ROLE_PARAMETER, {4, 3}},
                                   {NULL, GM_STATE_ROLE_PARAMETER, {2, 4}},
                                   {"gone", GM_STATE_ROLE_STATISTIC, {3, 0}},
                                   {"mean", GM_STATE_ROLE_STATISTIC, {4, 0}},
                                   CONTROL,
                                   {NULL, GM_STATE_ROLE_PROPERTIES, {2, 8}},
                                   {"features.weight.m", GM_STATE_ROLE_SLOT, {4, 3}},
                                   {NULL, 0, {0, 0}}};

/* Piece i of the new model has the bytes of piece `from` of the old one; -1: its initial ones. */
static void check_piece(const piece *pieces, uint32_t i, int from, uint8_t fill)
{
    uint8_t expected[FILE_SIZE] = {0};
    uint32_t size = 4 * pieces[i].dims[0] * (pieces[i].dims[1] ? pieces[i].dims[1] : 1);
    if (from >= 0) {
        memcpy(expected, before.arena.bytes + before.offsets[from], size);
    } else if (pieces[i].role == GM_STATE_ROLE_PARAMETER) {
        memset(expected, fill, size);
    }
    CHECK(memcmp(after.arena.bytes + after.offsets[i], expected, size) == 0);
}

static void prepare(const piece *old, const piece *new)
{
    open_model(&before, old, 1, 0x55);
    fill_state(&before, old);
    save(&before, &saved);
    open_model(&after, new, 2, 0x66);
    fill_state(&after, new);
}

static void test_what_fits(void)
{
    static const int from[] = {-1, -1, -1, 0, -1, -1, 5, -1, 9, 7};
    uint32_t carried = 99;
    prepare(old_pieces, new_pieces);
    CHECK_STATUS(GM_OK, carry_over(&after, &saved, &carried));
    CHECK(carried == 4);
    for (uint32_t i = 0; i < sizeof from / sizeof *from; ++i) {
        check_piece(new_pieces, i, from[i], 0x66);
    }
}

/* One moment more than in the file: none is taken. */
static void test_moments_go_together(void)
{
    static const piece pieces[] = {{"features.weight", GM_STATE_ROLE_PARAMETER, {4, 3}},
                                   {"head.bias", GM_STATE_ROLE_PARAMETER, {2, 0}},
                                   CONTROL,
                                   {"features.weight.m", GM_STATE_ROLE_SLOT, {4, 3}},
                                   {"head.bias.m", GM_STATE_ROLE_SLOT, {2, 0}},
                                   {NULL, 0, {0, 0}}};
    static const int from[] = {0, 2, -1, -1, -1};
    uint32_t carried;
    prepare(old_pieces, pieces);
    CHECK_STATUS(GM_OK, carry_over(&after, &saved, &carried));
    CHECK(carried == 2);
    for (uint32_t i = 0; i < sizeof from / sizeof *from; ++i) {
        check_piece(pieces, i, from[i], 0x66);
    }
}

static void test_nothing_fits(void)
{
    static const piece pieces[] = {{"other", GM_STATE_ROLE_PARAMETER, {4, 3}}, CONTROL, {NULL, 0, {0, 0}}};
    uint32_t carried;
    prepare(old_pieces, pieces);
    CHECK_STATUS(GM_OK, carry_over(&after, &saved, &carried));
    CHECK(carried == 0);
    check_piece(pieces, 0, -1, 0x66);
}

/* ---- Files with false contents ----------------------------------------------------------------------------------- */

/* Carrying over must fail with `expected` (GM_OK: with any error) and leave the state as it is. */
static void check_refused(int expected)
{
    static uint8_t state[FILE_SIZE];
    uint32_t carried, size = after.session.header->state_size;
    memcpy(state, after.arena.bytes, size);
    int status = carry_over(&after, &saved, &carried);
    CHECK(status < 0 && (expected == GM_OK || status == expected));
    CHECK(memcmp(state, after.arena.bytes, size) == 0);
}

static void test_every_bit_and_length(void)
{
    prepare(old_pieces, new_pieces);
    for (uint32_t bit = 0; bit < 8 * saved.size; ++bit) {
        saved.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        check_refused(bit / 8 >= 16 ? GM_ERR_BAD_CRC : GM_OK);
        saved.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    uint32_t whole = saved.size;
    for (saved.size = 0; saved.size < whole; ++saved.size) {
        check_refused(GM_ERR_TRUNCATED);
    }
}

static void test_parts_that_do_not_add_up(void)
{
    prepare(old_pieces, new_pieces);
    uint32_t *fields[] = {&header_of(&saved)->entries, &header_of(&saved)->names_size, &header_of(&saved)->state_size};
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t right = *fields[i];
        const uint32_t wrong[] = {right + 1, right - 1, 0, UINT32_MAX, UINT32_MAX / sizeof(gm_state_entry) + 1};
        for (uint32_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
            *fields[i] = wrong[k];
            seal(&saved);
            check_refused(GM_ERR_BAD_STATE);
        }
        *fields[i] = right;
    }
}

/* Packed numbers are not split. */
static void test_packed(void)
{
    prepare(old_pieces, new_pieces);
    memset(&saved, 0, sizeof saved);
    saved.size = gm_checkpoint_half_size(&before.session);
    CHECK_STATUS(GM_OK, gm_checkpoint_save_half(&before.session, file_write, &saved));
    check_refused(GM_ERR_BAD_VERSION);
}

/* Pieces and names beyond their parts' ends fit nothing, and are not read. */
static void test_places_that_lie(void)
{
    uint32_t carried;
    const uint32_t far[] = {UINT32_MAX, UINT32_MAX - 47, 0x80000000u, 100000u, 268};
    for (uint32_t k = 0; k < sizeof far / sizeof *far; ++k) {
        prepare(old_pieces, new_pieces);
        entry_of(&saved, 0)->offset = far[k];
        entry_of(&saved, 5)->name = far[k];
        seal(&saved);
        CHECK_STATUS(GM_OK, carry_over(&after, &saved, &carried));
        CHECK(carried == 2);
        check_piece(new_pieces, 3, -1, 0x66);
    }
    prepare(old_pieces, new_pieces);
    uint8_t *names = (uint8_t *)entry_of(&saved, header_of(&saved)->entries);
    memset(names, 'f', header_of(&saved)->names_size); /* no name ends */
    seal(&saved);
    CHECK_STATUS(GM_OK, carry_over(&after, &saved, &carried));
    CHECK(carried == 1); /* the properties, which have none */
}

/* ---- Storage that fails ---------------------------------------------------------------------------------------------- */

static int is_initial(void)
{
    static uint8_t state[FILE_SIZE];
    uint32_t size = after.session.header->state_size;
    memcpy(state, after.arena.bytes, size);
    CHECK_STATUS(GM_OK, gm_reset(&after.session));
    return memcmp(state, after.arena.bytes, size) == 0;
}

/* Once, at each reading: all that fits is carried over, or nothing is. */
static void test_storage_that_fails(void)
{
    uint32_t carried, reads;
    prepare(old_pieces, new_pieces);
    CHECK_STATUS(GM_OK, carry_over(&after, &saved, &carried));
    reads = saved.reads;
    for (uint32_t at = 1; at <= reads; ++at) {
        saved.fails_at = at;
        fill_state(&after, new_pieces);
        uint8_t first = after.arena.bytes[0];
        CHECK_STATUS(GM_ERR_IO, carry_over(&after, &saved, &carried));
        CHECK(after.arena.bytes[0] == first || is_initial());
    }
    saved.fails_at = 0;
    for (saved.lies_at = 1; saved.lies_at <= reads; ++saved.lies_at) {
        fill_state(&after, new_pieces);
        uint8_t first = after.arena.bytes[0];
        int status = carry_over(&after, &saved, &carried);
        CHECK(status < 0 ? after.arena.bytes[0] == first || is_initial() : carried == 4);
    }
}

static void test_arguments(void)
{
    uint32_t carried;
    prepare(old_pieces, new_pieces);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_carry_over(&after.session, NULL, &saved, saved.size, &carried));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, carry_over(&after, &saved, NULL));
    gm_close(&after.session);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, carry_over(&after, &saved, &carried));
}

/* gm_verify_image() says what gm_open() would. */
static void test_verify_image(void)
{
    static block image;
    uint32_t size = build_tiny(image.bytes);
    CHECK_STATUS(GM_OK, gm_verify_image(image.bytes, size, TINY_ARENA));
    CHECK_STATUS(GM_ERR_ARENA_TOO_SMALL, gm_verify_image(image.bytes, size, TINY_ARENA - 1));
    CHECK_STATUS(GM_ERR_TRUNCATED, gm_verify_image(image.bytes, size - 1, TINY_ARENA));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_verify_image(image.bytes + 4, size, TINY_ARENA));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_verify_image(NULL, size, TINY_ARENA));
    image.bytes[size - 1] ^= 1;
    CHECK_STATUS(GM_ERR_BAD_CRC, gm_verify_image(image.bytes, size, TINY_ARENA));
}

int main(void)
{
    test_what_fits();
    test_moments_go_together();
    test_nothing_fits();
    test_every_bit_and_length();
    test_parts_that_do_not_add_up();
    test_packed();
    test_places_that_lie();
    test_storage_that_fails();
    test_arguments();
    test_verify_image();
    return checks_summary();
}
