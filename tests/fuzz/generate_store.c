#include "generate_store.h"

#include "generate_instruction.h"

uint32_t store_size(const gm_store *store)
{
    uint32_t data = store->dtype == GM_STORE_DTYPE_F32 ? 4 * store->elements : (store->elements + 3) / 4 * 4;
    uint32_t sample = data + (store->dtype == GM_STORE_DTYPE_INT8 ? 8 : 4);
    return 4 + (uint32_t)sizeof(gm_store_class) * store->classes + store->capacity * sample;
}

void draw_store(draws *d, uint32_t most, generated_store *out)
{
    gm_store *record = &out->record;
    out->batch = one_in(d, 3) ? between(d, 1, 4) : 0;
    record->capacity = between(d, 1, one_in(d, 4) ? 40 : 6);
    record->classes = between(d, 1, one_in(d, 4) ? 20 : 4);
    record->dtype = below(d, GM_STORE_DTYPE_COUNT);
    record->elements = between(d, 1, one_in(d, 3) ? 33 : 6);
    record->aside = one_in(d, 3) ? GM_NONE : 0;
    while (store_size(record) > most && record->capacity * record->classes * record->elements > 1) {
        record->capacity = (record->capacity + 1) / 2;
        record->classes = (record->classes + 1) / 2;
        record->elements = (record->elements + 1) / 2;
    }
}

uint32_t store_element_size(const gm_store *store)
{
    return store->dtype == GM_STORE_DTYPE_BYTES ? 1 : 4;
}

/* The bytes of so many samples in the arena, up to the next word. */
static uint32_t samples_size(const gm_store *store, uint32_t samples)
{
    return (store_element_size(store) * samples * store->elements + 3) / 4 * 4;
}

uint32_t store_inputs_size(const generated_store *store)
{
    uint32_t aside = store->record.aside == GM_NONE ? 0 : samples_size(&store->record, 1);
    return store->batch == 0 ? 0 : aside + samples_size(&store->record, store->batch) + 4 * store->batch;
}

void place_inputs(generated_store *store, uint32_t inputs)
{
    store->input = inputs;
    if (store->record.aside != GM_NONE) {
        store->record.aside = inputs;
        store->input += samples_size(&store->record, 1);
    }
    store->label = store->input + samples_size(&store->record, store->batch);
}

/* The begin or the end of something in the arena that a store must leave alone. */
static uint32_t draw_edge(draws *d, const gm_header *header)
{
    const uint32_t edges[] = {0,
                              header->parameters_size,
                              header->control_offset,
                              header->control_offset + (uint32_t)sizeof(gm_control),
                              header->properties_offset,
                              header->state_size,
                              header->gradients_offset + header->gradients_size,
                              header->scratch_offset,
                              header->arena_size};
    uint32_t edge = edges[below(d, sizeof edges / sizeof *edges)];
    return edge + 4 * below(d, 5) - 8;
}

static void distort_tensor(draws *d, const gm_header *header, gm_tensor *tensor)
{
    switch (below(d, 4)) {
    case 0: tensor->role = below(d, GM_ROLE_COUNT); break;
    case 1: tensor->dtype = below(d, GM_DTYPE_COUNT); break;
    case 2: tensor->offset = draw_edge(d, header); break;
    default: tensor->programs = below(d, 1u << GM_PROGRAM_COUNT);
    }
}

void distort_store(draws *d, const gm_header *header, gm_store *store, gm_tensor *tensor)
{
    uint32_t *fields[] = {&store->capacity, &store->classes, &store->elements, &store->dtype};
    uint32_t *field = fields[below(d, sizeof fields / sizeof *fields)];
    switch (below(d, 6)) {
    case 0: *field = draw_hostile(d); break;
    case 1: *field += between(d, 0, 4) - 2; break;
    case 2: *field = one_in(d, 2) ? GM_NONE : 0x80000000u >> below(d, 4); break;
    case 3: store->offset = draw_edge(d, header); break;
    case 4: store->aside = draw_edge(d, header); break;
    default: distort_tensor(d, header, tensor + below(d, 3));
    }
}
