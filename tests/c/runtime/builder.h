/*
 * Assembles images in memory for the runtime's own tests and its fuzz target, without the host's compiler: so the tests
 * do not depend on the writer that the runtime normally meets.
 */
#ifndef BUILDER_H
#define BUILDER_H

#include "gradmote.h"
#include "../../../runtime_c/generated/gm_opcodes.h"
#include "../../../runtime_c/generated/gm_rules.h"

#define SECTION_CAPACITY 16384u
#define IMAGE_CAPACITY 65536u

/* Memory for an image or an arena. */
typedef struct block {
    uint8_t bytes[IMAGE_CAPACITY];
} __attribute__((aligned(16))) block;

/* An image under construction: the header's memory fields are the caller's, the rest is computed. */
typedef struct builder {
    gm_header header;
    uint32_t bytes[GM_SECTION_COUNT][SECTION_CAPACITY / 4];
    uint32_t size[GM_SECTION_COUNT];
    gm_program *program;         /* the one that instructions go to */
} builder;

void builder_init(builder *b);
/* Appends bytes to a section, zero-padded to a word; returns the offset of their start in it. */
uint32_t builder_append(builder *b, uint32_t section, const void *data, uint32_t size);
uint32_t builder_name(builder *b, const char *name);
/* Returns the operand of the constant. */
uint32_t builder_constant(builder *b, const void *data, uint32_t size);
/* dims: two of them, or one if the second is 0. */
void builder_tensor(builder *b, const char *name, uint32_t role, uint32_t programs, uint32_t dtype,
                    const uint32_t dims[2], uint32_t offset);
void builder_state(builder *b, const char *name, uint32_t role, const uint32_t dims[2], uint32_t offset,
                   uint32_t gradient);
/* The same with elements of any type. */
void builder_state_of(builder *b, const char *name, uint32_t role, uint32_t dtype, const uint32_t dims[2],
                      uint32_t offset, uint32_t gradient);
void builder_program(builder *b, uint32_t kind);
/* `instruction` is a gm_insn_<opcode>; its head is filled in. */
void builder_emit(builder *b, uint32_t opcode, void *instruction);
/* Writes the image to `out` (16-byte aligned, IMAGE_CAPACITY bytes) and returns its size. */
uint32_t builder_finish(builder *b, uint8_t *out);

/* Puts the checksum right after a change. */
void image_seal(uint8_t *image);

/* Arena offsets of the tiny image below. */
enum {
    TINY_W = 0,
    TINY_B = 24,
    TINY_W_MOMENT = 32,
    TINY_B_MOMENT = 56,
    TINY_CONTROL = 64,
    TINY_PROPERTIES = 112,
    TINY_STATE_SIZE = 208,
    TINY_GRADIENTS = 208,
    TINY_X = 240,
    TINY_TARGET = 288,
    TINY_SCRATCH = 320,
    TINY_Y = 320,
    TINY_LOSS = 352,
    TINY_DY = 356,
    TINY_DB = 388,
    TINY_ROW = 396,
    TINY_ARENA = 408
};

/* y[4,2] = x[4,3] w[2,3]^T + b[2], mean squared error, SGD with momentum 0.9; all five programs, 3 properties. */
uint32_t build_tiny(uint8_t *out);
/* The same, except its model id, the name of b (and so of its moment), and bytes of unused names. */
uint32_t build_tiny_like(uint8_t *out, uint32_t id, const char *b_name, uint32_t spare_names);

/* Arena offsets of the taught image below, and the sizes of its store. */
enum {
    TAUGHT_W = 0,
    TAUGHT_CONTROL = 36,
    TAUGHT_STORE = 84,
    TAUGHT_STATE_SIZE = 196,
    TAUGHT_X = 196,
    TAUGHT_LABELS = 220,
    TAUGHT_ASIDE = 228,
    TAUGHT_SCRATCH = 240,
    TAUGHT_Y = 240,
    TAUGHT_LOG_PROB = 264,
    TAUGHT_LOSS = 288,
    TAUGHT_DY = 292,
    TAUGHT_ROW = 316,
    TAUGHT_ARENA = 328,
    TAUGHT_CAPACITY = 6,
    TAUGHT_CLASSES = 3,
    TAUGHT_ELEMENTS = 3,
    TAUGHT_BATCH = 2
};

/* y[2,3] = x[2,3] w[3,3]^T, mean cross-entropy, SGD; INFER and STEP, and a store of INT8 samples. */
uint32_t build_taught(uint8_t *out);

/* Bytes from one operand to the next in the image below. */
#define BUILDER_STEP 1024u

/* Every opcode, and those with a rule once for each kind, in one STEP program. Operand i of each instruction is at
 * BUILDER_STEP i in the scratch; dims 2, strides 1 except those of outputs. Labels 0. */
uint32_t build_all_opcodes(uint8_t *out);

/* Puts an export table of a tiny image after its `size` bytes: w as words in an .onnx file of 300 bytes. Returns the
 * table's size in bytes. */
uint32_t build_export_table(uint8_t *image, uint32_t size);

#endif
