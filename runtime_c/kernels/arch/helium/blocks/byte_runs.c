/* Runs of byte_runs.h. */
#include "byte_runs.h"

#include "../helium.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

__attribute__((noinline)) int8_t *gm_byte_copy(int8_t *to, const int8_t *from, uint32_t n)
{
    int8_t *at = to;
    __asm__ volatile(HELIUM
                     LINE("wlstp.8 lr, %[n], 2f")
                     "1:\n\t"
                     LINE("vldrb.u8 q0, [%[from]], #16") LINE("vstrb.8 q0, [%[at]], #16")
                     LINE("letp lr, 1b")
                     "2:\n\t"
                     : [at] "+r"(at), [from] "+r"(from)
                     : [n] "r"(n)
                     : "lr", CHANGED);
    return to + n;
}

/* q1: offsets of four values. */
__attribute__((noinline)) int8_t *gm_byte_gather(int8_t *to, const int8_t *from, uint32_t n, uint32_t step)
{
    register uint32_t first __asm__("r4") = 0;
    int8_t *at = to;
    __asm__ volatile(HELIUM
                     LINE("vidup.u32 q1, %[first], #1") LINE("vmul.i32 q1, q1, %[step]")
                     LINE("lsl %[step], #2")
                     LINE("wlstp.32 lr, %[n], 2f")
                     "1:\n\t"
                     LINE("vldrb.u32 q0, [%[from], q1]") LINE("vstrb.32 q0, [%[at]], #4")
                     LINE("add %[from], %[step]")
                     LINE("letp lr, 1b")
                     "2:\n\t"
                     : [at] "+l"(at), [from] "+r"(from), [step] "+r"(step), [first] "+r"(first)
                     : [n] "r"(n)
                     : "lr", CHANGED);
    return to + n;
}

__attribute__((noinline)) int8_t *gm_byte_fill(int8_t *to, int32_t number, uint32_t n)
{
    int8_t *at = to;
    __asm__ volatile(HELIUM
                     LINE("vdup.8 q0, %[number]")
                     LINE("wlstp.8 lr, %[n], 2f")
                     "1:\n\t"
                     LINE("vstrb.8 q0, [%[at]], #16")
                     LINE("letp lr, 1b")
                     "2:\n\t"
                     : [at] "+r"(at)
                     : [number] "r"(number), [n] "r"(n)
                     : "lr", CHANGED);
    return to + n;
}

#endif
