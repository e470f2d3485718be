/*
 * The verifier. It checks everything in an image once, so that the executor and the accessors need
 * no checks. This file has sections, regions, tensors and the state table; the rest is in
 * verify_store.c, verify_programs.c and verify_operands.c. The comments "V1" to "V31" name the
 * invariants in docs/SPEC.md, "What is verified".
 */
#include "verify.h"

#include "image.h"
#include "ranges.h"
#include "verify_programs.h"
#include "verify_store.h"

/* ---- File, sections, memory regions ---------------------------------------------------------- */

static int is_name(const gm_header *header, uint32_t name)
{
    return name == GM_NONE || name < header->sections[GM_SECTION_NAMES].size;
}

/* V2: every section is after the header and inside the file. V3: tables hold whole records, the
 * names section ends with a zero, and the scheme is one of the names. */
static GM_COLD int check_sections(const gm_header *header)
{
    static const uint8_t record_size[GM_SECTION_COUNT] = {
        sizeof(gm_tensor), sizeof(gm_program), WORD, WORD, WORD, sizeof(gm_state_entry), WORD, sizeof(gm_store),
    };
    for (uint32_t i = 0; i < GM_SECTION_COUNT; ++i) {
        gm_section section = header->sections[i];
        if (section.offset % GM_SECTION_ALIGN != 0 || section.size % record_size[i] != 0 ||
            !lies_in(section.offset, section.size, sizeof *header, header->size)) {
            return GM_ERR_BAD_SECTION;
        }
    }
    uint32_t names_size = header->sections[GM_SECTION_NAMES].size;
    const char *names = gm_section_data(header, GM_SECTION_NAMES);
    int ends = names_size == 0 || names[names_size - 1] == '\0';
    return ends && is_name(header, header->scheme) ? GM_OK : GM_ERR_BAD_SECTION;
}

/* V4: 0 <= parameters <= state <= gradients <= scratch <= arena, all at words. V5: initial values
 * fit. */
static GM_COLD int check_regions(const gm_header *header)
{
    uint32_t initial_size = header->sections[GM_SECTION_INITIAL].size;
    uint32_t all = header->scratch_offset | header->state_size | header->gradients_size | header->parameters_size;
    if (all % WORD != 0 || header->arena_size > SIZE_LIMIT || header->scratch_offset > header->arena_size ||
        !lies_in(header->gradients_offset, header->gradients_size, header->state_size, header->scratch_offset) ||
        header->parameters_size > header->state_size) {
        return GM_ERR_BAD_REGION;
    }
    return initial_size >= header->parameters_size && initial_size <= header->state_size ? GM_OK : GM_ERR_BAD_REGION;
}

/* V6: the control record and the properties are in the state after the parameters, and do not
 * overlap. */
static GM_COLD int check_state_records(const gm_header *header)
{
    uint64_t properties_size = (uint64_t)header->properties_count * sizeof(gm_property);
    if (!lies_in(header->control_offset, sizeof(gm_control), header->parameters_size, header->state_size) ||
        !lies_in(header->properties_offset, properties_size, header->parameters_size, header->state_size) ||
        overlaps(header->control_offset, sizeof(gm_control), header->properties_offset, (uint32_t)properties_size)) {
        return GM_ERR_BAD_REGION;
    }
    return GM_OK;
}

/* ---- Tensors --------------------------------------------------------------------------------- */

/* V7: dimensions are positive, those past the rank are 1, and their product gives the size. */
static int is_shape(uint32_t rank, const uint32_t *dims, uint32_t dtype, uint32_t size)
{
    uint64_t bytes = gm_element_size(dtype);
    if (rank > GM_MAX_RANK) {
        return 0;
    }
    for (uint32_t i = 0; i < GM_MAX_RANK; ++i) {
        if (dims[i] == 0 || (i >= rank && dims[i] != 1)) {
            return 0;
        }
        bytes = saturating_product(bytes, dims[i]);
    }
    return bytes == size;
}

/* V9: outputs and losses are in the scratch. Inputs and labels are there too, or between gradients
 * and scratch. */
static int is_in_its_region(const gm_header *header, const gm_tensor *tensor)
{
    int is_given = tensor->role == GM_ROLE_INPUT || tensor->role == GM_ROLE_LABEL;
    return lies_in(tensor->offset, tensor->size, header->scratch_offset, header->arena_size) ||
           (is_given && lies_in(tensor->offset, tensor->size, inputs_offset(header), header->scratch_offset));
}

#define ALL_PROGRAMS ((UINT32_C(1) << GM_PROGRAM_COUNT) - 1)

/* V8: name, role, dtype and programs exist, a tensor has rows only in programs that have it, and no
 * tensor has the dtype of moments. V10: a loss is one f32. */
static int is_tensor(const gm_header *header, const gm_tensor *tensor)
{
    int is_scalar = tensor->dtype == GM_DTYPE_F32 && tensor->size == sizeof(float);
    return is_name(header, tensor->name) && tensor->role < GM_ROLE_COUNT && tensor->dtype < GM_DTYPE_BF16 &&
           (tensor->programs >> GM_PROGRAM_COUNT & ~(tensor->programs & ALL_PROGRAMS)) == 0 &&
           is_shape(tensor->rank, tensor->dims, tensor->dtype, tensor->size) && is_in_its_region(header, tensor) &&
           (tensor->role != GM_ROLE_LOSS || is_scalar);
}

static GM_COLD int check_tensors(const gm_header *header)
{
    const gm_tensor *tensor = gm_section_data(header, GM_SECTION_TENSORS);
    uint32_t count = section_records(header, GM_SECTION_TENSORS, sizeof *tensor);
    for (uint32_t i = 0; i < count; ++i) {
        if (gm_lacks_dtype(tensor[i].dtype)) {
            return GM_ERR_BAD_OPCODE;
        }
        if (!is_tensor(header, &tensor[i])) {
            return GM_ERR_BAD_TENSOR;
        }
    }
    return GM_OK;
}

/* ---- The state table ------------------------------------------------------------------------- */

/* V12: a gradient is in the gradient region and has an f32 for each element of its parameter. */
static int is_gradient(const gm_header *header, const gm_state_entry *entry)
{
    return entry->gradient == GM_NONE || lies_in(entry->gradient, gm_gradient_size(entry), header->gradients_offset,
                                                 (uint64_t)header->gradients_offset + header->gradients_size);
}

/* V31: bfloat16 is for moments. */
static int is_dtype_of(uint32_t dtype, uint32_t role)
{
    return dtype < GM_DTYPE_BF16 || (dtype == GM_DTYPE_BF16 && role == GM_STATE_ROLE_SLOT);
}

/* V13: an entry other than a parameter is after the parameters. The control record, the properties
 * and the store are at the image's offsets for them. */
static int is_other_state(const gm_header *header, const gm_state_entry *entry)
{
    if (entry->gradient != GM_NONE ||
        !lies_in(entry->offset, entry->size, header->parameters_size, header->state_size) ||
        (entry->role == GM_STATE_ROLE_STATISTIC && entry->offset % WORD != 0)) {
        return 0;
    }
    if (entry->role == GM_STATE_ROLE_CONTROL) {
        return entry->offset == header->control_offset && entry->size == sizeof(gm_control);
    }
    if (entry->role == GM_STATE_ROLE_STORE) {
        const gm_store *store = gm_store_of(header);
        return GM_WITH_STORE && store != NULL && entry->offset == store->offset && entry->size == gm_store_size(store);
    }
    return entry->role != GM_STATE_ROLE_PROPERTIES || (entry->offset == header->properties_offset &&
                                                       entry->size / sizeof(gm_property) == header->properties_count);
}

/* Returns where the next parameter begins after one that ends at `end`. */
static uint64_t next_word(uint64_t end)
{
    return GM_WITH_INT8 ? (end + (WORD - 1)) / WORD * WORD : end;
}

/* V11: parameters come first, and fill [0, parameters_size) in ascending order, each starting at a
 * word. */
static GM_COLD int check_state_table(const gm_header *header)
{
    const gm_state_entry *entry = gm_section_data(header, GM_SECTION_STATE);
    uint32_t count = section_records(header, GM_SECTION_STATE, sizeof *entry);
    uint64_t next = 0;
    for (uint32_t i = 0; i < count; ++i, ++entry) {
        int is_parameter = next < header->parameters_size;
        if (gm_lacks_dtype(entry->dtype)) {
            return GM_ERR_BAD_OPCODE;
        }
        if (!is_name(header, entry->name) || entry->role >= GM_STATE_ROLE_COUNT ||
            !is_dtype_of(entry->dtype, entry->role) || !is_shape(entry->rank, entry->dims, entry->dtype, entry->size) ||
            is_parameter != (entry->role == GM_STATE_ROLE_PARAMETER)) {
            return GM_ERR_BAD_STATE;
        }
        if (is_parameter ? entry->offset != next || !is_gradient(header, entry) : !is_other_state(header, entry)) {
            return GM_ERR_BAD_STATE;
        }
        next = is_parameter ? next_word(next + entry->size) : next;
    }
    return next == header->parameters_size ? GM_OK : GM_ERR_BAD_STATE;
}

/* ---- All of it ------------------------------------------------------------------------------- */

GM_COLD int gm_verify(const gm_header *header)
{
    static int (*const checks[])(const gm_header *) = {
        check_sections,  check_regions,     check_state_records, check_tensors,
        gm_verify_store, check_state_table, gm_verify_programs,
    };
    if (header->size > SIZE_LIMIT) {
        return GM_ERR_BAD_SECTION;
    }
    if (gm_crc32(0, (const uint8_t *)header + GM_IMAGE_CRC_START, header->size - GM_IMAGE_CRC_START) !=
        header->crc) { /* V1 */
        return GM_ERR_BAD_CRC;
    }
    for (uint32_t i = 0; i < sizeof checks / sizeof *checks; ++i) {
        int status = checks[i](header);
        if (status != GM_OK) {
            return status;
        }
    }
    return GM_OK;
}
