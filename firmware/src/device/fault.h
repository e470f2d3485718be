/* Remembers across a reset that the processor faulted, and where. */
#ifndef FAULT_H
#define FAULT_H

#include <stdint.h>

typedef struct fault_record {
    uint32_t magic;
    uint32_t status; /* the cause from the processor: CFSR on Arm, mcause on RISC-V */
    uint32_t pc;     /* of the faulting instruction, or 0 if the stack was unusable */
} fault_record;

/* Records a fault before the board resets. */
void fault_note(uint32_t status, uint32_t pc);

/* Returns 1 and the record if the last run ended in a fault, and forgets it; else returns 0. */
int fault_take(fault_record *out);

#endif
