/* Weights of tap_turns.h. */
#include "tap_turns.h"

#include "../helium.h"
#include "byte_runs.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

/* A window has its taps by columns. */
void gm_order_taps(gm_tap_turns *t)
{
    uint32_t taps = t->rows * t->columns, tap = 0;
    for (uint32_t l = 0; l < t->columns; l++) {
        for (uint32_t k = 0; k < t->rows; k++) {
            uint32_t at = k * t->columns + l;
            t->order[tap++] = (uint8_t)(t->is_turned_around ? taps - 1 - at : at);
        }
    }
    t->bytes = (taps + t->lanes - 1) / t->lanes * t->lanes * GM_TAP_CHANNELS;
}

/* Writes n taps in the order that `order` gives, padded with zeros to `lanes`.
 * Returns their sum. */
__attribute__((noinline)) static int32_t order_taps(int8_t *to, const int8_t *from, const uint8_t *order, uint32_t n,
                                                    uint32_t lanes)
{
    register int32_t sum __asm__("r4");
    __asm__ volatile(HELIUM
                     LINE("vctp.8 %[lanes]") LINE("vpst") LINE("vldrbt.u8 q1, [%[order]]")
                     LINE("vctp.8 %[n]") LINE("vpst") LINE("vldrbt.u8 q0, [%[from], q1]")
                     LINE("vctp.8 %[lanes]") LINE("vpst") LINE("vstrbt.8 q0, [%[to]]")
                     LINE("vaddv.s8 %[sum], q0")
                     : [sum] "=&r"(sum)
                     : [to] "r"(to), [from] "r"(from), [order] "r"(order), [n] "r"(n), [lanes] "r"(lanes)
                     : CHANGED);
    return sum;
}

/* The weights of a turn begin at one row of a copy that has all rows twice. */
int32_t gm_pack_turns(const gm_tap_turns *t, const int8_t *w, uint32_t channel, int8_t *to)
{
    uint32_t lanes = t->lanes, taps = t->rows * t->columns;
    int8_t twice[2 * GM_MOST_TAPS], *end = twice;
    int32_t sum = 0;
    for (uint32_t k = 0; k < t->rows; k++) {
        end = gm_byte_gather(end, w + k * t->w_row, t->columns, t->w_column);
    }
    gm_byte_copy(end, twice, taps);
    for (uint32_t turn = 0; turn < t->rows; turn++, to += t->bytes) {
        uint32_t row = t->is_turned_around || turn == 0 ? turn : t->rows - turn;
        int8_t *packed = to + channel * lanes;
        sum = 0;
        for (uint32_t tap = 0; tap < taps; tap += lanes, packed += GM_TAP_CHANNELS * lanes) {
            uint32_t n = taps - tap < lanes ? taps - tap : lanes;
            sum += order_taps(packed, twice + row * t->columns, t->order + tap, n, lanes);
        }
    }
    return sum;
}

#endif
