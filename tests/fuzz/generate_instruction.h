/* One instruction with drawn operands and parameters. */
#ifndef GENERATE_INSTRUCTION_H
#define GENERATE_INSTRUCTION_H

#include "draws.h"
#include "../../runtime_c/generated/gm_opcodes.h"

#define MOST_ZONES 4u

typedef struct zone {
    uint32_t begin, end; /* bytes */
} zone;

/* The room of an instruction. rules: how many are at the start of the constants, number r of kind r; as many with
 * moments of bfloat16 follow. */
typedef struct rooms {
    uint32_t arena_size, constants_size, rules;
    uint32_t zones; /* how many */
    zone writable[MOST_ZONES];
} rooms;

/* Writes the words of an instruction with that opcode, which must be known, and returns how many they are. */
uint32_t generate_instruction(draws *d, const rooms *r, uint32_t opcode, uint32_t *word);

/* A number that is large, and with small factors comes out near 2^31 or 2^32. */
uint32_t draw_hostile(draws *d);

/* How many elements the operand's kernel may touch, at most UINT32_MAX. */
uint64_t elements_of(const uint32_t *word, const gm_opcode_shape *shape, const gm_operand_info *info);

/* Bytes of so many elements of it. */
uint64_t bytes_of_elements(const gm_operand_info *info, uint64_t elements);

#endif
