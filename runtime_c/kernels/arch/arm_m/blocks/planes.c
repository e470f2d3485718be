/*
 * Convolutions of three planes, such as the channels of an NCHW image: products with the weights of
 * 4 outputs and 1 or 2 taps in registers. A tap's three inputs are a plane apart, and adjacent taps
 * are contiguous. The sums of a pixel are in s0 to s3, two inputs at a time in s4 and s5, and the
 * weights from s6 on: by tap, plane, output.
 */
#include "../../arch.h"
#include "taps.h"
#include "strided_loop_assembly.h"

#if GM_ARCH_PLANES

#define BEGIN_PIXEL                                                                                       \
    LINE("add %[second], %[a], %[plane]") LINE("add %[third], %[second], %[plane]")                       \
    LINE("vldr s4, [%[a]]") LINE("vldr s5, [%[second]]") LINE("vldmia %[b], {s0-s3}")                     \
    MAC_4(s4, s6, s7, s8, s9) MAC_4(s5, s10, s11, s12, s13)
#define END_PIXEL LINE("vstmia %[b], {s0-s3}") LINE("add %[b], %[b_step]")
#define TAP_OF_PLANES                                                                                     \
    BEGIN_PIXEL                                                                                           \
    LINE("vldr s4, [%[third]]") LINE("add %[a], %[a_step]")                                               \
    MAC_4(s4, s14, s15, s16, s17)                                                                         \
    END_PIXEL
#define TAPS_OF_PLANES                                                                                    \
    BEGIN_PIXEL                                                                                           \
    LINE("vldr s4, [%[third]]") LINE("vldr s5, [%[a], #4]")                                               \
    MAC_4(s4, s14, s15, s16, s17) MAC_4(s5, s18, s19, s20, s21)                                           \
    LINE("vldr s4, [%[second], #4]") LINE("vldr s5, [%[third], #4]") LINE("add %[a], %[a_step]")          \
    MAC_4(s4, s22, s23, s24, s25) MAC_4(s5, s26, s27, s28, s29)                                           \
    END_PIXEL

/* Defines a block of taps. `second` holds the weights' address until they are loaded, then that of
 * the second plane's inputs. */
#define DEFINE_PLANES(name, WEIGHTS, TAPS)                                                                \
    TILE name(const gm_loop *loop, uint32_t plane, const float *a, float *b, const float *w)              \
    {                                                                                                     \
        uint32_t rows = loop->rows, left;                                                                 \
        const float *third;                                                                               \
        __asm__ volatile(LINE("vldmia %[second], {" WEIGHTS "}")                                          \
                         STRIDED_LOOP(TAPS)                                                               \
                         : LOOP_CHANGES, [second] "+r"(w), [third] "=&r"(third)                           \
                         : LOOP_STRIDES(0, 0), [plane] "r"(4 * plane)                                     \
                         : CHANGED);                                                                      \
    }

DEFINE_PLANES(planes_1x4, "s6-s17", TAP_OF_PLANES)
DEFINE_PLANES(planes_2x4, "s6-s29", TAPS_OF_PLANES)

void gm_add_planes(const gm_loop *loop, uint32_t plane, const float *in, const float *panel, float *out, uint32_t taps,
                   uint32_t outputs)
{
    for (; outputs == 4 && taps >= 2; taps -= 2, in += 2, panel += 24) {
        planes_2x4(loop, plane, in, out, panel);
    }
    for (; taps > 0; taps--, in++, panel += 3 * outputs) {
        if (outputs == 4) {
            planes_1x4(loop, plane, in, out, panel);
        } else {
            gm_add_panel(loop, plane, in, panel, out, 3, outputs);
        }
    }
}

#endif
