/* Remembers across a restart that, and where, the processor faulted. */
#ifndef FAULT_H
#define FAULT_H

#include <stdint.h>

typedef struct fault_record {
    uint32_t magic;
    uint32_t status; /* what the processor tells of it: CFSR on Arm, mcause on RISC-V */
    uint32_t pc;     /* of the faulting instruction, or 0 where the stack was unusable */
} fault_record;

void fault_note(uint32_t status, uint32_t pc);

/* 1 and the record where the last run ended in a fault; the note is then forgotten. */
int fault_take(fault_record *out);

#endif
