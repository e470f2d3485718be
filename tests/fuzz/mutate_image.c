/*
 * Mutates an image as what it is: instructions of words, and tables of records. The checksum comes out wrong, which
 * shows fuzz_program that the image is not the compiler's any more.
 */
#include <string.h>

#include "gradmote.h"
#include "../../runtime_c/generated/gm_opcodes.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

#define MAX_INSTRUCTIONS 1024u

/* The image under mutation. */
typedef struct subject {
    gm_header *header;
    uint32_t *code;
    uint32_t words;                   /* of code */
    uint32_t at[MAX_INSTRUCTIONS];    /* the word at which each instruction begins */
    uint32_t instructions;
    uint32_t random;
} subject;

static uint32_t draw(subject *s, uint32_t limit)
{
    s->random = s->random * 1664525u + 1013904223u;
    return limit == 0 ? 0 : (s->random >> 8) % limit;
}

/* 0 if data has no code to be found. */
static int look_at(subject *s, uint8_t *data, size_t size)
{
    gm_header *header = (gm_header *)(void *)data;
    if (size < sizeof *header) {
        return 0;
    }
    gm_section code = header->sections[GM_SECTION_CODE];
    if (code.offset % 4 != 0 || code.offset > size || code.size > size - code.offset) {
        return 0;
    }
    s->header = header;
    s->code = (uint32_t *)(void *)(data + code.offset);
    s->words = code.size / 4;
    for (uint32_t at = 0; at < s->words && s->code[at] >> 16 != 0 && s->instructions < MAX_INSTRUCTIONS;) {
        s->at[s->instructions++] = at;
        at += s->code[at] >> 16;
    }
    while (s->instructions != 0 &&
           s->at[s->instructions - 1] + (s->code[s->at[s->instructions - 1]] >> 16) > s->words) {
        --s->instructions;
    }
    return s->instructions != 0;
}

static uint32_t *instruction(subject *s, uint32_t index)
{
    return s->code + s->at[index];
}

static uint32_t length(subject *s, uint32_t index)
{
    return *instruction(s, index) >> 16;
}

/* A word near the old one, or one that means something somewhere. */
static uint32_t other_word(subject *s, uint32_t old)
{
    const uint32_t arena = s->header->arena_size, scratch = s->header->scratch_offset;
    const uint32_t words[] = {0,         1,       2,           4,          GM_NONE, GM_CONSTANT_BIT,
                              arena - 4, scratch, scratch - 4, 0x7FFFFFFF, 0x10000};
    switch (draw(s, 8)) {
    case 0: return old + 1;
    case 1: return old - 1;
    case 2: return old + 4;
    case 3: return old - 4;
    case 4: return old * 2;
    case 5: return old / 2;
    case 6: return s->code[draw(s, s->words)];
    default: return words[draw(s, sizeof words / sizeof *words)];
    }
}

static void change_word(subject *s)
{
    uint32_t i = draw(s, s->instructions), *word = instruction(s, i) + 1 + draw(s, length(s, i) - 1);
    *word = length(s, i) > 1 ? other_word(s, *word) : *word;
}

/* An operand or parameter takes the value of another one of the same instruction. */
static void copy_word(subject *s)
{
    uint32_t i = draw(s, s->instructions), n = length(s, i) - 1, *word = instruction(s, i) + 1;
    if (n > 1) {
        word[draw(s, n)] = word[draw(s, n)];
    }
}

/* One instruction takes another's place if it is as long; else it takes its operands. */
static void copy_instruction(subject *s)
{
    uint32_t from = draw(s, s->instructions), to = draw(s, s->instructions);
    uint32_t n = length(s, from) < length(s, to) ? length(s, from) : length(s, to),
             same = length(s, from) == length(s, to);
    memmove(instruction(s, to) + !same, instruction(s, from) + !same, 4 * (n - !same));
}

/* Another opcode of the same length. */
static void change_opcode(subject *s)
{
    uint32_t i = draw(s, s->instructions), opcode = draw(s, GM_OP_TABLES);
    const gm_opcode_shape *shape = gm_shape_of(opcode);
    if (shape != NULL && 1u + shape->n_operands + shape->n_params == length(s, i)) {
        *instruction(s, i) = opcode | length(s, i) << 16;
    }
}

/* A program ends elsewhere, or begins at another instruction. */
static void change_program(subject *s)
{
    gm_section section = s->header->sections[GM_SECTION_PROGRAMS];
    uint32_t count = section.size / (uint32_t)sizeof(gm_program);
    if (count == 0 || section.offset % 4 != 0) {
        return;
    }
    gm_program *program = (gm_program *)(void *)((uint8_t *)s->header + section.offset) + draw(s, count);
    uint32_t begin = s->at[draw(s, s->instructions)], last = draw(s, s->instructions);
    uint32_t end = s->at[last] + length(s, last);
    if (begin < end) {
        program->code_offset = 4 * begin;
        program->code_size = 4 * (end - begin);
    }
    program->arena_size = draw(s, 4) == 0 ? other_word(s, program->arena_size) : program->arena_size;
}

/* A word of the header after the checksum, of the tensors, or of the state table. */
static void change_record(subject *s)
{
    static const uint32_t sections[] = {GM_SECTION_TENSORS, GM_SECTION_STATE};
    gm_section section = s->header->sections[sections[draw(s, 2)]];
    uint32_t *word = (uint32_t *)(void *)s->header + 8 + draw(s, 11);
    if (draw(s, 3) != 0 && section.size >= 4) {
        word = (uint32_t *)(void *)((uint8_t *)s->header + section.offset / 4 * 4) + draw(s, section.size / 4);
    }
    *word = other_word(s, *word);
}

/* Sections other than the code were not looked at. */
static int tables_are_inside(const gm_header *header, size_t size)
{
    for (uint32_t i = 0; i < GM_SECTION_COUNT; ++i) {
        gm_section section = header->sections[i];
        if (section.offset > size || section.size > size - section.offset) {
            return 0;
        }
    }
    return 1;
}

static void mutate(subject *s)
{
    static void (*const ways[])(subject *) = {
        change_word,      change_word,   change_word,    copy_word,
        copy_instruction, change_opcode, change_program, change_record,
    };
    for (uint32_t left = 1 + draw(s, 3); left != 0; --left) {
        ways[draw(s, sizeof ways / sizeof *ways)](s);
        s->instructions = 0;
        if (!look_at(s, (uint8_t *)s->header, s->header->size)) {
            return;
        }
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static subject s;
    memset(&s, 0, sizeof s);
    s.random = seed;
    if (draw(&s, 16) != 0 && look_at(&s, data, size) && s.header->size == size && tables_are_inside(s.header, size)) {
        mutate(&s);
    } else {
        size = LLVMFuzzerMutate(data, size, max_size);
    }
    if (size >= sizeof(gm_header)) {
        gm_header *header = (gm_header *)(void *)data;
        header->crc = ~gm_crc32(0, data + 16, size - 16);
    }
    return size;
}
