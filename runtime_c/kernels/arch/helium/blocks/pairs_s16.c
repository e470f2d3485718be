/* Panels of pairs_s16.h. */
#include "pairs_s16.h"

#include "../helium.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

/* The farthest of eight elements, as offsets have 16 bits; fewer k than FEWEST are
 * left to other code. */
enum { FARTHEST = 65535, FEWEST = 8 };

/* q1: offsets of eight elements; bytes are twice or once as many. */
__attribute__((noinline)) static void gather_gradients(uint32_t *to, const int16_t *from, const uint16_t *offsets,
                                                       uint32_t times, uint32_t step)
{
    __asm__ volatile(HELIUM
                     LINE("vldrh.u16 q1, [%[offsets]]")
                     LINE("dls lr, %[times]")
                     "1:\n\t"
                     LINE("vldrh.u16 q0, [%[from], q1, uxtw #1]") LINE("vstrw.32 q0, [%[to]], #16")
                     LINE("add %[from], %[step]")
                     LINE("le lr, 1b")
                     : [to] "+r"(to), [from] "+r"(from)
                     : [offsets] "r"(offsets), [times] "r"(times), [step] "r"(step)
                     : "lr", CHANGED);
}

uint32_t gm_helium_two_gradients(uint32_t *to, const int16_t *from, uint32_t n, uint32_t step)
{
    if (n < FEWEST || step > FARTHEST / 4) {
        return 0;
    }
    uint16_t s = (uint16_t)step, next = (uint16_t)(s + 1);
    const uint16_t offsets[] = {0, s, 1, next, (uint16_t)(2 * s), (uint16_t)(3 * s), (uint16_t)(s + next),
                                (uint16_t)(2 * s + next)};
    gather_gradients(to, from, offsets, n / 4, 8 * step);
    return n / 4 * 4;
}

__attribute__((noinline)) static void gather_columns(uint32_t *to, const int8_t *from, const uint16_t *offsets,
                                                     uint32_t times, uint32_t step, int32_t minus_zero)
{
    __asm__ volatile(HELIUM
                     LINE("vldrh.u16 q1, [%[offsets]]")
                     LINE("dls lr, %[times]")
                     "1:\n\t"
                     LINE("vldrb.s16 q0, [%[from], q1]") LINE("vadd.i16 q0, q0, %[minus_zero]")
                     LINE("vstrw.32 q0, [%[to]], #16")
                     LINE("add %[from], %[step]")
                     LINE("le lr, 1b")
                     : [to] "+r"(to), [from] "+r"(from)
                     : [offsets] "r"(offsets), [times] "r"(times), [step] "r"(step), [minus_zero] "r"(minus_zero)
                     : "lr", CHANGED);
}

uint32_t gm_helium_four_columns(uint32_t *to, const int8_t *from, uint32_t rows, uint32_t row_step, uint32_t column_step,
                                int32_t zero)
{
    if (rows < FEWEST || row_step > FARTHEST / 4 || column_step > FARTHEST / 4) {
        return 0;
    }
    uint16_t offsets[8];
    for (uint32_t i = 0; i < 4; i++) {
        offsets[2 * i] = (uint16_t)(i * column_step);
        offsets[2 * i + 1] = (uint16_t)(i * column_step + row_step);
    }
    gather_columns(to, from, offsets, rows / 2, 2 * row_step, -zero);
    return rows / 2 * 2;
}

#endif
