/* Tiles of gradient_tiles.h. */
#include "gradient_tiles.h"

#include "product.h"

#if GM_ARCH_CONV_GRAD_X_S16 && GM_ARCH_DSP

static const float ones[GM_PAIR_COLUMNS] = {1.0f, 1.0f, 1.0f, 1.0f};
static const int8_t passing[GM_PAIR_COLUMNS];

/* Whether x, and its product with a sum of 32 bits, is a normal number. */
static int is_moderate(float x)
{
    uint32_t exponent = gm_bits_of(x) >> 23 & 0xffu;
    return exponent > 0 && exponent < 254 - 32;
}

int gm_suits_gradient_tiles(const gm_finish_s16 *f, uint32_t channels)
{
    int suits = f->by_fours && f->mask.bits == NULL;
    for (uint32_t c = 0; c < channels && suits; c++) {
        float scale = f->scale ? f->scale[c] : 1.0f;
        suits = is_moderate(scale * f->unit) && is_moderate(scale * f->unit * f->inverse);
    }
    return suits;
}

#if !GM_ARCH_HELIUM

/* The ends of the panels lie on the stack, then the struct, then r7. */
#define TILES_OFFSET(member) [member] "i"(offsetof(gm_gradient_tiles, member))
#define EMPTY(sum) LINE("mov " #sum ", #0")
#define START_GRADIENTS                                                                    \
    START_PRODUCT                                                                          \
    EMPTY(r0) EMPTY(r1) EMPTY(r2) EMPTY(r3) EMPTY(r4) EMPTY(r5) EMPTY(r6) EMPTY(r7)

/* Sums become 0 where a byte of q is not within least, in r9, and most, in r10. r12 is 0; r8 and q are lost. */
#define MASK_SUM(sum, bit) LINE("sbfx r11, r8, #" #bit ", #8") LINE("and " #sum ", r11")
#define MASK_ROW(q, a, b, c, d)                                                            \
    LINE("ssub8 r8, " #q ", r9") LINE("mvn r8, #0") LINE("sel r8, r8, r12")                \
    LINE("ssub8 r11, r10, " #q) LINE("sel r8, r8, r12")                                    \
    MASK_SUM(a, 0) MASK_SUM(b, 8) MASK_SUM(c, 16) MASK_SUM(d, 24)
#define MASK                                                                               \
    LINE("ldr r8, [sp, #8]") LINE("str lr, [r8, %[b]]")                                    \
    LINE("ldrd r9, r10, [r8, %[q]]") LINE("ldr r12, [r8, %[q_step]]")                      \
    LINE("ldr r11, [r9]") LINE("ldr lr, [r10]")                                            \
    LINE("add r9, r12") LINE("add r10, r12") LINE("strd r9, r10, [r8, %[q]]")              \
    LINE("ldrd r9, r10, [r8, %[least]]") LINE("mov r12, #0")                                \
    MASK_ROW(r11, r0, r1, r2, r3)                                                          \
    MASK_ROW(lr, r4, r5, r6, r7)

/* Two numbers' upper halves, without signs, in a; the larger ones in r9. */
#define SEE_TWO(a, b)                                                                      \
    LINE("pkhtb " #a ", " #b ", " #a ", asr #16") LINE("bic " #a ", #0x80008000")          \
    LINE("usub16 r10, " #a ", r9") LINE("sel r9, " #a ", r9")
#define SCALED(sum, scale) LINE("vcvt.f32.s32 " #sum ", " #sum) LINE("vmul.f32 " #sum ", " #sum ", " #scale)
#define NEAREST(sum, scale) LINE("vcvtr.s32.f32 " #sum ", " #sum)
#define SCALE_AND_SEE                                                                      \
    LINE("ldr r8, [sp, #8]")                                                               \
    SUMS_TO_FLOATS                                                                         \
    LINE("ldrd r9, r10, [r8, %[scale]]") LINE("vldr s12, [r8, %[factor]]")                 \
    LINE("vldm r9, {s8-s11}") LINE("add r9, r10") LINE("str r9, [r8, %[scale]]")           \
    LINE("vmul.f32 s8, s8, s12") LINE("vmul.f32 s9, s9, s12")                              \
    LINE("vmul.f32 s10, s10, s12") LINE("vmul.f32 s11, s11, s12")                          \
    EACH_SUM_OF_8(SCALED)                                                                  \
    FLOATS_TO_SUMS                                                                         \
    LINE("ldr r9, [r8, %[largest]]")                                                       \
    SEE_TWO(r0, r1) SEE_TWO(r2, r3) SEE_TWO(r4, r5) SEE_TWO(r6, r7)                        \
    LINE("str r9, [r8, %[largest]]")

/* Numbers as pairs. Where none yet is beyond the bound, as is the rule, all are within the limits. */
#define SATURATED(number) LINE("ssat " #number ", #16, " #number)
#define PAIR_OF(a, b) LINE("pkhbt " #a ", " #a ", " #b ", lsl #16")
#define LIMITED(pair)                                                                      \
    LINE("ssub16 r11, r9, " #pair) LINE("sel " #pair ", " #pair ", r9")                    \
    LINE("ssub16 r11, " #pair ", r10") LINE("sel " #pair ", " #pair ", r10")
#define STORE_GRADIENTS                                                                    \
    LINE("ldr r10, [r8, %[bound]]") LINE("uqsub16 r10, r9, r10") LINE("cmp r10, #0")       \
    EACH_SUM_OF_8(NEAREST)                                                                 \
    FLOATS_TO_SUMS                                                                         \
    LINE("beq 2f")                                                                         \
    SATURATED(r0) SATURATED(r1) SATURATED(r2) SATURATED(r3)                                \
    SATURATED(r4) SATURATED(r5) SATURATED(r6) SATURATED(r7)                                \
    "2:\n\t"                                                                               \
    PAIR_OF(r0, r1) PAIR_OF(r2, r3) PAIR_OF(r4, r5) PAIR_OF(r6, r7)                        \
    LINE("beq 3f")                                                                         \
    LINE("ldrd r9, r10, [r8, %[limits]]")                                                  \
    LIMITED(r0) LIMITED(r2) LIMITED(r4) LIMITED(r6)                                        \
    "3:\n\t"                                                                               \
    LINE("ldrd r9, r10, [r8, %[dx]]")                                                      \
    LINE("str r0, [r9], #4") LINE("str r2, [r9], #4")                                      \
    LINE("str r4, [r10], #4") LINE("str r6, [r10], #4")                                    \
    LINE("strd r9, r10, [r8, %[dx]]")

__attribute__((noinline)) void gm_make_gradient_tiles(gm_gradient_tiles *tiles)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)tiles;
    __asm__ volatile(LINE("push {r0, r7}")
                     LINE("sub sp, #8")
                     "1:\n\t"
                     START_GRADIENTS
                     PAIR_PRODUCT
                     MASK
                     SCALE_AND_SEE
                     STORE_GRADIENTS
                     LINE("ldr r9, [r8, %[tiles]]")
                     LINE("subs r9, #1")
                     LINE("str r9, [r8, %[tiles]]")
                     LINE("bne 1b")
                     LINE("add sp, #8")
                     LINE("pop {r0, r7}")
                     : "+r"(r0)
                     : TILES_OFFSET(a), TILES_OFFSET(b), TILES_OFFSET(fours_bytes), TILES_OFFSET(q),
                       TILES_OFFSET(q_step), TILES_OFFSET(least), TILES_OFFSET(scale), TILES_OFFSET(factor),
                       TILES_OFFSET(largest), TILES_OFFSET(bound), TILES_OFFSET(limits), TILES_OFFSET(dx), TILES_OFFSET(tiles)
                     : PRODUCT_CHANGES, "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12");
}

#endif

/* ---- Instructions ---------------------------------------------------------------------------- */

/* The upper half of the bits below which a number rounds to one within the limit. */
static uint32_t bound_of(int32_t limit)
{
    float power = 1.0f;
    while (2.0f * power <= (float)limit && power < 16384.0f) {
        power *= 2.0f;
    }
    return (gm_bits_of(power) >> 16) - 1;
}

gm_gradient_tiles gm_gradient_tiles_of(const gm_finish_s16 *f, uint32_t words)
{
    return (gm_gradient_tiles){
        .fours_bytes = words / 4 * 64,
        .bytes = words * 16,
        .least = f->mask.q ? f->least : 0x80808080u,
        .most = f->mask.q ? f->most : 0x7f7f7f7fu,
        .q_step = f->mask.q ? GM_PAIR_COLUMNS : 0,
        .scale_step = f->scale ? GM_PAIR_COLUMNS * (uint32_t)sizeof(float) : 0,
        .factor = f->unit * f->inverse,
        .limits = f->limits,
        .minus_limits = f->minus_limits,
        .bound = bound_of(f->limit) * 0x10001u,
    };
}

void gm_make_gradients(gm_gradient_tiles *tiles, const gm_finish_s16 *f, const uint32_t at[GM_PAIR_ROWS], uint32_t channel)
{
    tiles->scale = f->scale ? f->scale + channel : ones;
    for (uint32_t i = 0; i < GM_PAIR_ROWS; i++) {
        tiles->dx[i] = f->dx + at[i];
        tiles->q[i] = f->mask.q ? f->mask.q + at[i] : passing;
    }
    gm_make_gradient_tiles(tiles);
}

void gm_see_gradients(const gm_gradient_tiles *tiles, gm_finish_s16 *finish)
{
    uint32_t low = tiles->largest & 0xffffu, high = tiles->largest >> 16;
    float largest = gm_float_of((low > high ? low : high) << 16) * (1.0f / finish->inverse);
    finish->largest = gm_bits_of(largest) > finish->largest ? gm_bits_of(largest) : finish->largest;
}

#endif
