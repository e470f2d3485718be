/* Rooms with nothing mapped around them. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */

#include "guard.h"

#include <sys/mman.h>

#include "repair.h"

/* Every offset of an instruction is below 2^32. If addresses have 32 bits, the rest of them is as empty, except the
 * program itself. */
#define NOTHING ((size_t)1 << (sizeof(size_t) > 4 ? 32 : 28))

uint8_t *guard_reserve(void)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint8_t *all = mmap(NULL, 2 * NOTHING + GUARD_LIMIT, PROT_NONE, flags, -1, 0);
    require(all != MAP_FAILED && mprotect(all + NOTHING, GUARD_LIMIT, PROT_READ | PROT_WRITE) == 0);
    return all + NOTHING;
}

void guard_protect(guard *g, int protect)
{
    require(mprotect(g->room, GUARD_LIMIT, protect ? PROT_READ : PROT_READ | PROT_WRITE) == 0);
}
