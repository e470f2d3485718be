/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_RECORDS_H
#define GM_RECORDS_H

#include <stdint.h>

#define GM_IMAGE_MAGIC 0x45544f4du
#define GM_CHECKPOINT_MAGIC 0x4b434d47u
#define GM_FORMAT_VERSION 1u
#define GM_CHECKPOINT_VERSION 2u
#define GM_DELTA_MAGIC 0x4c444d47u
#define GM_DELTA_VERSION 2u
#define GM_LASTING_MAGIC 0x524c4d47u
#define GM_EXPORT_MAGIC 0x58454d47u
#define GM_EXPORT_VERSION 1u
#define GM_NONE 0xffffffffu
#define GM_CONSTANT_BIT 0x80000000u
#define GM_MAX_RANK 6u
#define GM_CLASS_NAME 1u
#define GM_SECTION_ALIGN 16u
#define GM_RULE_WORDS 8u
#define GM_MOMENTS_BF16 256u
#define GM_PACKED_SIZE 16u
#define GM_SIGNATURE_MAGIC 0x47534d47u
#define GM_SIGNATURE_VERSION 1u

enum gm_program_kind { GM_PROGRAM_INFER = 0, GM_PROGRAM_EVAL = 1, GM_PROGRAM_TRAIN = 2, GM_PROGRAM_OPTIMIZER = 3, GM_PROGRAM_STEP = 4, GM_PROGRAM_COUNT = 5 };
enum gm_role_kind { GM_ROLE_INPUT = 0, GM_ROLE_LABEL = 1, GM_ROLE_OUTPUT = 2, GM_ROLE_LOSS = 3, GM_ROLE_COUNT = 4 };
enum gm_dtype_kind { GM_DTYPE_F32 = 0, GM_DTYPE_I32 = 1, GM_DTYPE_I8 = 2, GM_DTYPE_U8 = 3, GM_DTYPE_I16 = 4, GM_DTYPE_BF16 = 5, GM_DTYPE_COUNT = 6 };
enum gm_state_role_kind { GM_STATE_ROLE_PARAMETER = 0, GM_STATE_ROLE_SLOT = 1, GM_STATE_ROLE_CONTROL = 2, GM_STATE_ROLE_PROPERTIES = 3, GM_STATE_ROLE_STATISTIC = 4, GM_STATE_ROLE_STORE = 5, GM_STATE_ROLE_COUNT = 6 };
enum gm_schedule_kind { GM_SCHEDULE_CONSTANT = 0, GM_SCHEDULE_LINEAR = 1, GM_SCHEDULE_COUNT = 2 };
enum gm_property_type_kind { GM_PROPERTY_TYPE_EMPTY = 0, GM_PROPERTY_TYPE_I32 = 1, GM_PROPERTY_TYPE_F32 = 2, GM_PROPERTY_TYPE_COUNT = 3 };
enum gm_section_kind { GM_SECTION_TENSORS = 0, GM_SECTION_PROGRAMS = 1, GM_SECTION_CODE = 2, GM_SECTION_CONSTANTS = 3, GM_SECTION_INITIAL = 4, GM_SECTION_STATE = 5, GM_SECTION_NAMES = 6, GM_SECTION_STORE = 7, GM_SECTION_COUNT = 8 };
enum gm_store_dtype_kind { GM_STORE_DTYPE_INT8 = 0, GM_STORE_DTYPE_F32 = 1, GM_STORE_DTYPE_BYTES = 2, GM_STORE_DTYPE_COUNT = 3 };
enum gm_encoding_kind { GM_ENCODING_PLAIN = 0, GM_ENCODING_HALF = 1, GM_ENCODING_COUNT = 2 };
enum gm_export_kind_kind { GM_EXPORT_KIND_WORD = 0, GM_EXPORT_KIND_I8 = 1, GM_EXPORT_KIND_U8 = 2, GM_EXPORT_KIND_COUNT = 3 };

/* Where one section is. */
typedef struct gm_section {
    uint32_t offset; /* multiple of 16 */
    uint32_t size; /* bytes */
} gm_section;
typedef char gm_assert_section[sizeof(gm_section) == 8 ? 1 : -1];

/* The first bytes of an image. */
typedef struct gm_header {
    uint32_t magic; /* IMAGE_MAGIC */
    uint32_t version; /* FORMAT_VERSION */
    uint32_t size; /* bytes of the whole file */
    uint32_t crc; /* CRC-32 (IEEE 802.3) of bytes 16 .. size */
    uint32_t model_id[4]; /* first 16 bytes of SHA-256 over state table, names and frozen parameters */
    uint32_t arena_size; /* bytes that the caller must provide */
    uint32_t state_size; /* bytes of state, from arena offset 0 */
    uint32_t parameters_size; /* bytes of trained parameters, from arena offset 0 */
    uint32_t gradients_offset; /* arena offset of the gradient region */
    uint32_t gradients_size; /* bytes; 0 if no program accumulates */
    uint32_t scratch_offset; /* arena offset after inputs and labels, at which the scratch of programs begins */
    uint32_t control_offset; /* arena offset of the control record, inside state */
    uint32_t properties_offset; /* arena offset of the property records, inside state */
    uint32_t properties_count; /* number of property records */
    uint32_t batch; /* samples in one step */
    uint32_t scheme; /* what is trained, as text: bytes from the start of section NAMES, or NONE */
    gm_section sections[8]; /* in the order of enum section */
    uint32_t image_version; /* the maker's own number: the higher, the newer; 0 if none was given */
} gm_header;
typedef char gm_assert_header[sizeof(gm_header) == 144 ? 1 : -1];

/* One stream of instructions. */
typedef struct gm_program {
    uint32_t kind; /* enum program; one image has each kind at most once */
    uint32_t code_offset; /* bytes from the start of section CODE */
    uint32_t code_size; /* bytes */
    uint32_t instructions;
    uint32_t arena_size; /* bytes of arena that this program touches */
    uint32_t work_low; /* inner-loop trips of all its kernels, 64 bits */
    uint32_t work_high;
} gm_program;
typedef char gm_assert_program[sizeof(gm_program) == 28 ? 1 : -1];

/* An input or output that the caller sees. */
typedef struct gm_tensor {
    uint32_t name; /* bytes from the start of section NAMES, or NONE */
    uint32_t role; /* enum role */
    uint32_t programs; /* bit p is set if program kind p has it, bit 5 + p if its first dim counts samples there */
    uint32_t dtype; /* enum dtype */
    uint32_t rank; /* 0 .. MAX_RANK */
    uint32_t dims[6]; /* the ONNX model's own shape; unused ones are 1 */
    uint32_t offset; /* arena offset */
    uint32_t size; /* bytes */
} gm_tensor;
typedef char gm_assert_tensor[sizeof(gm_tensor) == 52 ? 1 : -1];

/* One named part of the state region. */
typedef struct gm_state_entry {
    uint32_t name; /* bytes from the start of section NAMES, or NONE */
    uint32_t role; /* enum state_role */
    uint32_t dtype; /* enum dtype */
    uint32_t rank;
    uint32_t dims[6];
    uint32_t offset; /* arena offset */
    uint32_t size; /* bytes */
    uint32_t gradient; /* arena offset of its gradient, or NONE */
} gm_state_entry;
typedef char gm_assert_state_entry[sizeof(gm_state_entry) == 52 ? 1 : -1];

/* Counters and learning rate; part of the state, so a checkpoint has them. */
typedef struct gm_control {
    uint32_t train_steps; /* micro-batches seen; with seed, the counter of the random generator */
    uint32_t seed;
    uint32_t optimizer_steps; /* updates applied */
    uint32_t accumulated; /* micro-batches in the gradient region; 0 makes the next train step start from zero */
    float learning_rate; /* that of the next update */
    float base_learning_rate; /* what the schedule scales */
    uint32_t schedule; /* enum schedule */
    uint32_t warmup_steps;
    uint32_t total_steps;
    float gradient_scale; /* 1 / accumulated, set before the optimizer program runs */
    uint32_t skipped_steps; /* runs of TRAIN, STEP and OPTIMIZER refused because something was not finite */
    uint32_t schedule_start; /* optimizer_steps when the schedule was set; it counts from there */
} gm_control;
typedef char gm_assert_control[sizeof(gm_control) == 48 ? 1 : -1];

/* One number that the application keeps with the state. */
typedef struct gm_property {
    uint32_t key[5]; /* up to 19 bytes of UTF-8, zero-padded */
    uint32_t type; /* enum property_type */
    uint32_t value; /* bits of the i32 or f32 */
    uint32_t reserved;
} gm_property;
typedef char gm_assert_property[sizeof(gm_property) == 32 ? 1 : -1];

/* The first bytes of a .gmck file; state table, names and state follow. */
typedef struct gm_checkpoint {
    uint32_t magic; /* CHECKPOINT_MAGIC */
    uint32_t version; /* 1, or CHECKPOINT_VERSION */
    uint32_t size; /* bytes of the whole file */
    uint32_t crc; /* CRC-32 of bytes 16 .. size */
    uint32_t model_id[4]; /* of the image that wrote it; zero in a checkpoint made before compilation */
    uint32_t entries; /* number of state_entry records that follow */
    uint32_t names_size; /* bytes of names that follow the records */
    uint32_t state_size; /* bytes of state, in memory; it follows the names */
    uint32_t encoding; /* enum encoding, how the state follows; in version 1 always PLAIN */
} gm_checkpoint;
typedef char gm_assert_checkpoint[sizeof(gm_checkpoint) == 48 ? 1 : -1];

/* The first bytes of a lasting record after a checkpoint; its contents and their CRC-32 follow. */
typedef struct gm_lasting {
    uint32_t magic; /* LASTING_MAGIC */
    uint32_t kind; /* what it holds */
    uint32_t version; /* of this kind */
    uint32_t size; /* bytes of the contents, a multiple of 4 */
} gm_lasting;
typedef char gm_assert_lasting[sizeof(gm_lasting) == 16 ? 1 : -1];

/* The first bytes of a quantized delta; an exponent for each parameter and the codes follow. */
typedef struct gm_delta_header {
    uint32_t magic; /* DELTA_MAGIC */
    uint32_t version; /* DELTA_VERSION */
    uint32_t size; /* bytes of the whole file */
    uint32_t crc; /* CRC-32 of bytes 16 .. size */
    uint32_t model_id[4]; /* of the image */
    uint32_t round; /* number of the base that it is the difference from */
    uint32_t base_crc; /* CRC-32 of that base: of the elements of all parameters that the delta has */
    uint32_t bits; /* of each code: 2, 4 or 8 */
    uint32_t seed; /* of the random numbers that rounded the codes */
} gm_delta_header;
typedef char gm_assert_delta_header[sizeof(gm_delta_header) == 48 ? 1 : -1];

/* The first bytes of an export table; export_range records and the model's .onnx file follow. */
typedef struct gm_export_header {
    uint32_t magic; /* EXPORT_MAGIC */
    uint32_t version; /* EXPORT_VERSION */
    uint32_t size; /* bytes of the whole file */
    uint32_t crc; /* CRC-32 of bytes 16 .. size */
    uint32_t model_id[4]; /* of the image */
    uint32_t ranges; /* number of export_range records */
    uint32_t model_size; /* bytes of the .onnx file */
} gm_export_header;
typedef char gm_assert_export_header[sizeof(gm_export_header) == 40 ? 1 : -1];

/* A range of the .onnx file that takes elements of the state, row by row. */
typedef struct gm_export_range {
    uint32_t at; /* first byte in the .onnx file; ranges are in ascending order and do not overlap */
    uint32_t source; /* first byte in the state: offset in the arena */
    uint32_t kind; /* enum export_kind: elements of 4 bytes, or of 1 that become i8 or u8 */
    int32_t add; /* what is added to an element of 1 byte, which is an i8 in the state */
    uint32_t columns; /* elements of a row */
    uint32_t rows;
    int32_t step; /* bytes of the state from an element to the next one in its row */
    int32_t row_step; /* bytes of the state from a row to the next one */
} gm_export_range;
typedef char gm_assert_export_range[sizeof(gm_export_range) == 32 ? 1 : -1];

/* Where the sample store keeps samples, and in what form; section STORE holds one record, or nothing. */
typedef struct gm_store {
    uint32_t offset; /* arena offset of the store's contents, inside state */
    uint32_t capacity; /* samples */
    uint32_t classes; /* labels are 0 .. classes - 1 */
    uint32_t dtype; /* enum store_dtype */
    uint32_t elements; /* of one sample: the input's elements divided by the label's */
    uint32_t aside; /* arena offset at which the input's first sample is kept while others are trained on, or NONE */
} gm_store;
typedef char gm_assert_store[sizeof(gm_store) == 24 ? 1 : -1];

/* What the store knows of one class; part of the state. */
typedef struct gm_store_class {
    uint32_t seen; /* samples learned since the class was forgotten last; stays at its largest value */
    uint32_t kept; /* those of them that are in the store; counted again before each use */
    uint32_t full; /* 1: the class has once had as many samples as any other, in a store without room */
} gm_store_class;
typedef char gm_assert_store_class[sizeof(gm_store_class) == 12 ? 1 : -1];

/* Follows a signed image. */
typedef struct gm_signature {
    uint32_t magic; /* SIGNATURE_MAGIC */
    uint32_t version; /* SIGNATURE_VERSION */
    uint32_t key_id[2]; /* first 8 bytes of the public key */
    uint32_t bytes[16]; /* Ed25519 signature of bytes 0 .. header.size */
} gm_signature;
typedef char gm_assert_signature[sizeof(gm_signature) == 80 ? 1 : -1];

#endif
