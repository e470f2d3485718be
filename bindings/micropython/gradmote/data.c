/* Copies arrays into inputs and labels, from any object with the buffer protocol, without a copy in
 * between. */
#include "data.h"
#include "errors.h"
#include "values.h"

#include <string.h>

#define ALL_PROGRAMS 0xFFFFFFFFu

static const gm_tensor *tensors_of(const session_obj *self, uint32_t *count)
{
    const gm_section *table = &self->session.header->sections[GM_SECTION_TENSORS];
    *count = table->size / (uint32_t)sizeof(gm_tensor);
    return (const gm_tensor *)(const void *)(self->session.image + table->offset);
}

const gm_tensor *find_tensor(const session_obj *self, uint32_t role, uint32_t programs, uint32_t index)
{
    uint32_t count;
    const gm_tensor *tensor = tensors_of(self, &count);
    for (; count-- > 0; ++tensor) {
        if (tensor->role == role && (tensor->programs & programs) != 0 && index-- == 0) {
            return tensor;
        }
    }
    return NULL;
}

const gm_tensor *pick_tensor(const session_obj *self, uint32_t role, mp_obj_t index)
{
    const gm_tensor *tensor = find_tensor(self, role, ALL_PROGRAMS, u32_of(index));
    if (tensor == NULL) {
        raise_data_error("there is no tensor with that index", "inputs(), labels() and outputs() list them, from 0");
    }
    return tensor;
}

/* ---- Which data were given -------------------------------------------------------------------- */

/* Returns 0 for a tensor past the 16th of its role. */
static uint32_t place_of(const gm_tensor *tensor, uint32_t index)
{
    return index >= 16 ? 0 : 1u << (index + (tensor->role == GM_ROLE_LABEL ? 16 : 0));
}

/* Returns 0 for a tensor that lasts too. */
static uint32_t bit_of(const session_obj *self, const gm_tensor *tensor, uint32_t index)
{
    int lasts = tensor->offset < self->session.header->scratch_offset;
    return lasts ? 0 : place_of(tensor, index);
}

void mark_given(session_obj *self, uint32_t role, uint32_t index)
{
    self->given |= bit_of(self, find_tensor(self, role, ALL_PROGRAMS, index), index);
}

void mark_whole(session_obj *self, uint32_t role, uint32_t index)
{
    self->shorter &= ~place_of(find_tensor(self, role, ALL_PROGRAMS, index), index);
    mark_given(self, role, index);
}

uint32_t samples_made(const session_obj *self, const gm_tensor *output)
{
    return output->programs >> GM_PROGRAM_COUNT != 0 ? self->counted : 0;
}

void mark_overwritten(session_obj *self)
{
    self->given = 0;
}

static int role_is_given(const session_obj *self, uint32_t program, uint32_t role)
{
    const gm_tensor *tensor;
    for (uint32_t index = 0; (tensor = find_tensor(self, role, ALL_PROGRAMS, index)) != NULL; ++index) {
        uint32_t bit = (tensor->programs >> program & 1u) != 0 ? bit_of(self, tensor, index) : 0;
        if ((self->given & bit) != bit) {
            return 0;
        }
    }
    return 1;
}

static NORETURN void raise_missing(void)
{
    raise_data_error("an input or label is not there: the image overwrites inputs",
                     "give it for each run, or compile without overwrite_inputs");
}

static void require_given(const session_obj *self, uint32_t program)
{
    if (!role_is_given(self, program, GM_ROLE_INPUT) || !role_is_given(self, program, GM_ROLE_LABEL)) {
        raise_missing();
    }
}

void require_first_input(const session_obj *self)
{
    const gm_tensor *input = find_tensor(self, GM_ROLE_INPUT, ALL_PROGRAMS, 0);
    if (input != NULL && (bit_of(self, input, 0) & ~self->given) != 0) {
        raise_missing();
    }
}

/* ---- Copying ---------------------------------------------------------------------------------- */

static NORETURN void raise_size(uint32_t wanted, size_t given)
{
#if WITH_TEXTS
    char text[64];
    vstr_t out;
    vstr_init_fixed_buf(&out, sizeof text, text);
    vstr_printf(&out, "the tensor has %u elements; %u were given", (unsigned)wanted, (unsigned)given);
    raise_data_error(vstr_null_terminated_str(&out), "inputs() and labels() say what shape each has");
#else
    (void)wanted;
    (void)given;
    raise_data_error("wrong number of elements", "");
#endif
}

static int is_raw(int typecode)
{
    return typecode == BYTEARRAY_TYPECODE || typecode == 'B' || typecode == 'b';
}

/* If MicroPython's floats are doubles, so are those of its arrays and of ulab. Otherwise the module
 * would need the compiler's double arithmetic. */
#define TAKES_DOUBLES (MICROPY_FLOAT_IMPL == MICROPY_FLOAT_IMPL_DOUBLE)

#if TAKES_DOUBLES
static void copy_doubles(uint8_t *out, const mp_buffer_info_t *data)
{
    for (size_t i = 0; i < data->len / sizeof(double); ++i) {
        double wide;
        memcpy(&wide, (const uint8_t *)data->buf + i * sizeof wide, sizeof wide);
        float narrow = (float)wide;
        memcpy(out + i * sizeof narrow, &narrow, sizeof narrow);
    }
}
#else
#define copy_doubles(out, data)
#endif

static void copy_as_floats(uint8_t *out, uint32_t size, const mp_buffer_info_t *data)
{
    size_t width = TAKES_DOUBLES && data->typecode == 'd' ? sizeof(double) : data->typecode == 'f' ? sizeof(float) : 1;
    if (width == 1 && !is_raw(data->typecode)) {
        raise_data_error("the tensor takes float32", "pass array('f', ...), or its bytes");
    }
    if (data->len / width * (width == 1 ? 1 : 4) != size || data->len % width != 0) {
        raise_size(size / 4, data->len / (width == 1 ? 4 : width));
    }
    if (width == sizeof(double)) {
        copy_doubles(out, data);
    } else {
        memcpy(out, data->buf, size);
    }
}

/* Reads the index-th integer of `width` bytes, little-endian like all ports. Returns 0 if it does
 * not fit int32. */
static int read_int(const mp_buffer_info_t *data, size_t index, size_t width, int32_t *out)
{
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)data->buf + index * width, width);
    int is_signed = data->typecode >= 'a';
    unsigned unused = 64 - 8 * (unsigned)width;
    int64_t value = is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
    *out = (int32_t)value;
    return value == *out && (is_signed || bits <= INT32_MAX);
}

/* Raises DataError with the name of the tensor's dtype, and the rest of the text. */
static NORETURN void raise_type(const char *rest, element each)
{
    char text[80] = "the tensor takes ";
    memcpy(text + strlen(text), each.name, strlen(each.name));
    memcpy(text + strlen(text), rest, strlen(rest));
    raise_data_error(text, each.width == 4 ? "use smaller values, as array('i', ...)"
                                           : "give the quantized numbers, round(x / scale) + zero_point");
}

static int fits(int32_t value, element each)
{
    unsigned unused = 32 - 8 * (unsigned)each.width;
    uint32_t bits = (uint32_t)value << unused;
    return each.typecode == 'B' ? (uint32_t)value <= UINT8_MAX : (int32_t)bits >> unused == value;
}

static void copy_ints(uint8_t *out, uint32_t count, const mp_buffer_info_t *data, size_t width, element each)
{
    int32_t value;
    for (size_t i = 0; i < count; ++i) {
        if (!read_int(data, i, width, &value) || !fits(value, each)) {
            raise_type("; a value is out of range", each);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        (void)read_int(data, i, width, &value);
        memcpy(out + i * each.width, &value, each.width);
    }
}

/* Returns the size in bytes of an array's integers, or 0 if its items are not integers. */
static size_t width_of_int(int typecode)
{
    switch (typecode == BYTEARRAY_TYPECODE ? 'B' : typecode | 0x20) {
    case 'b':
    case 'B': return 1;
    case 'h': return 2;
    case 'i': return sizeof(int);
    case 'l': return sizeof(long);
    case 'q': return 8;
    default: return 0;
    }
}

/* An array of 8-bit numbers is not the raw bytes of such a tensor, because signedness may
 * differ. */
static int are_bytes(mp_obj_t data)
{
    const void *type = mp_obj_get_type(data);
    return type == &mp_type_bytes || type == &mp_type_bytearray || type == TYPE_OF_MEMORYVIEW;
}

static void copy_as_ints(uint8_t *out, uint32_t size, mp_buffer_info_t *data, element each, int is_bytes)
{
    size_t width = width_of_int(data->typecode);
    if (data->typecode == BYTEARRAY_TYPECODE) {
        data->typecode = 'B';
    }
    if (width == 0) {
        raise_type(", and no other numbers", each);
    }
    if (width == 1 && data->len == size && (each.width > 1 || is_bytes || data->typecode == each.typecode)) {
        memcpy(out, data->buf, size);
        return;
    }
    if (data->len != size / each.width * width) {
        raise_size(size / each.width, data->len / width);
    }
    copy_ints(out, size / each.width, data, width, each);
}

/* Returns the bytes that an array takes in a tensor of this dtype. */
static size_t size_of_array(uint32_t dtype, mp_obj_t data)
{
    mp_buffer_info_t buffer;
    mp_get_buffer_raise(data, &buffer, MP_BUFFER_READ);
    size_t wide = element_of(dtype).width, width = buffer.typecode == 'd' ? 8 : width_of_int(buffer.typecode);
    int is_plain = width == 0 || (width == 1 && dtype == GM_DTYPE_F32); /* floats, or their bytes */
    return is_plain ? buffer.len : buffer.len / width * wide;
}

uint32_t size_of_samples(const session_obj *self, const gm_tensor *tensor, uint32_t samples)
{
    return samples == 0 ? tensor->size : tensor->size / self->session.header->batch * samples;
}

/* Returns how many samples an array has if they are fewer than the batch, else 0. */
static uint32_t samples_in(const session_obj *self, const gm_tensor *tensor, mp_obj_t data)
{
    uint32_t batch = self->session.header->batch;
    if (tensor->programs >> GM_PROGRAM_COUNT == 0 || batch == 0 || tensor->size < batch) {
        return 0;
    }
    uint32_t row = tensor->size / batch;
    size_t size = size_of_array(tensor->dtype, data);
    return size < tensor->size && size % row == 0 ? (uint32_t)size / row : 0;
}

/* Notes how many samples a tensor has: 0 are the whole batch. */
static void note_samples(session_obj *self, const gm_tensor *tensor, uint32_t index, uint32_t samples)
{
    uint32_t bit = place_of(tensor, index);
    self->shorter &= ~bit;
    if (samples != 0) {
        if (bit == 0 || (self->shorter != 0 && self->samples != samples)) {
            raise_data_error("inputs and labels have different numbers of samples", "give as many of each");
        }
        self->shorter |= bit;
        self->samples = samples;
    }
}

/* Returns the bits of the tensors that have samples in the program. */
static uint32_t bits_of_samples(const session_obj *self, uint32_t program, uint32_t role)
{
    const gm_tensor *tensor;
    uint32_t bits = 0;
    for (uint32_t index = 0; (tensor = find_tensor(self, role, ALL_PROGRAMS, index)) != NULL; ++index) {
        int has_samples = (tensor->programs >> program & 1u) != 0 && tensor->programs >> GM_PROGRAM_COUNT != 0;
        bits |= has_samples ? place_of(tensor, index) : 0;
    }
    return bits;
}

uint32_t samples_given(const session_obj *self, uint32_t program)
{
    uint32_t bits = bits_of_samples(self, program, GM_ROLE_INPUT) | bits_of_samples(self, program, GM_ROLE_LABEL);
    if ((self->shorter & bits) == 0) {
        return 0;
    }
    if ((self->shorter & bits) != bits) {
        raise_data_error("inputs and labels have different numbers of samples", "give as many of each");
    }
    return self->samples;
}

void copy_elements(void *out, uint32_t size, uint32_t dtype, mp_obj_t data)
{
    mp_buffer_info_t buffer;
    mp_get_buffer_raise(data, &buffer, MP_BUFFER_READ);
    if (dtype == GM_DTYPE_F32) {
        copy_as_floats(out, size, &buffer);
    } else {
        element each = element_of(dtype);
        copy_as_ints(out, size, &buffer, each, each.width == 1 && are_bytes(data));
    }
}

static void require_idle(const session_obj *self)
{
    check(self->session.pc != NULL ? GM_ERR_BUSY : GM_OK, "data");
}

void write_tensor(session_obj *self, uint32_t role, uint32_t index, mp_obj_t data)
{
    require_idle(self);
    const gm_tensor *tensor = find_tensor(self, role, ALL_PROGRAMS, index);
    uint32_t samples = samples_in(self, tensor, data);
    copy_elements(self->session.arena + tensor->offset, size_of_samples(self, tensor, samples), tensor->dtype, data);
    note_samples(self, tensor, index, samples);
    mark_given(self, role, index);
}

static size_t count_tensors(const session_obj *self, uint32_t role)
{
    uint32_t count = 0;
    while (find_tensor(self, role, ALL_PROGRAMS, count) != NULL) {
        ++count;
    }
    return count;
}

/* Copies `count` arrays into the tensors of a role. */
static void feed(session_obj *self, uint32_t role, size_t count, const mp_obj_t *data)
{
    for (uint32_t index = 0; index < count; ++index) {
        write_tensor(self, role, index, data[index]);
    }
}

void feed_and_begin(session_obj *self, uint32_t program, size_t n, const mp_obj_t *data)
{
    if (n != 0) {
        self->shorter = 0;
        size_t inputs = count_tensors(self, GM_ROLE_INPUT);
        size_t labels = program == GM_PROGRAM_INFER ? 0 : count_tensors(self, GM_ROLE_LABEL);
        require_idle(self);
        if (n != inputs + labels) {
            raise_data_error("the model takes a different number of arrays",
                             "pass one for each of inputs(), then for each of labels(); or none");
        }
        feed(self, GM_ROLE_INPUT, inputs, data);
        feed(self, GM_ROLE_LABEL, labels, data + inputs);
    }
    require_given(self, program);
    mark_overwritten(self);
}
