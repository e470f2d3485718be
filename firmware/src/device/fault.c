#include "device/fault.h"

#define FAULT_MAGIC 0x544C5546u /* "FULT" */

static fault_record last_fault __attribute__((section(".noinit")));

void fault_note(uint32_t status, uint32_t pc)
{
    last_fault.magic = FAULT_MAGIC;
    last_fault.status = status;
    last_fault.pc = pc;
}

int fault_take(fault_record *out)
{
    if (last_fault.magic != FAULT_MAGIC) {
        return 0;
    }
    *out = last_fault;
    last_fault.magic = 0;
    return 1;
}
