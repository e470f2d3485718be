/*
 * Reports what this build of the runtime has.
 */
#include "gm_internal.h"
#include "image.h"
#include "../generated/gm_opcodes.h"

GM_COLD int gm_has_opcode(uint32_t opcode)
{
    return opcode < GM_OP_TABLES && gm_shape_of(opcode) != NULL;
}

GM_COLD int gm_has_rule(uint32_t rule)
{
    return rule < GM_RULE_COUNT && gm_rules[rule] != NULL;
}
