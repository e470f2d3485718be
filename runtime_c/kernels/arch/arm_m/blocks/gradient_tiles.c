/* Tiles of gradient_tiles.h. */
#include "../../../../generated/instructions/conv_grad_x_s16.h"
#include "gradient_tiles.h"

#include "product.h"

#if GM_ARCH_CONV_GRAD_X_S16 && GM_ARCH_DSP

static const float ones[GM_PAIR_COLUMNS] = {1.0f, 1.0f, 1.0f, 1.0f};
static const int8_t passing[GM_PAIR_COLUMNS];

/* Whether x, and its product with a 32-bit sum, is a normal number. */
static int is_moderate(float x)
{
    uint32_t exponent = gm_bits_of(x) >> 23 & 0xffu;
    return exponent > 0 && exponent < 254 - 32;
}

/* Whether four channels of an input, starting at a multiple of 4, have their bits in one byte. The
 * Helium form does not support bits. */
static int are_bits_in_bytes(const gm_insn_conv_grad_x_s16 *insn)
{
    uint32_t group = insn->groups > 1 && insn->in_channels > 1 ? insn->x_group : 0;
    return !GM_ARCH_HELIUM && (insn->x_batch | insn->x_h | insn->x_w | group) % 4 == 0;
}

int gm_suits_gradient_tiles(const gm_finish_s16 *f, const gm_insn_conv_grad_x_s16 *insn)
{
    int suits = f->by_fours && f->addend == NULL && (f->mask.bits == NULL || (f->mask.q == NULL && are_bits_in_bytes(insn)));
    for (uint32_t c = 0; c < insn->groups * insn->in_channels && suits; c++) {
        float scale = f->scale ? f->scale[c] : 1.0f;
        suits = is_moderate(scale * f->unit) && is_moderate(scale * f->unit * f->inverse);
    }
    return suits;
}

/* What PAIR_PRODUCT needs is on the stack, then the struct, then r7. */
#define TILES_OFFSET(member) [member] "i"(offsetof(gm_gradient_tiles, member))
#define EMPTY(sum) LINE("mov " #sum ", #0")
#define FIND_PRODUCT                                                                       \
    LINE("ldr r12, [r0, %[a]]") LINE("ldr r11, [r0, %[bytes]]")                            \
    FIND_END_AND_ENTRY(r12, r11, r10, r9, r8, r7) LINE("strd r10, r9, [sp]")
#define START_GRADIENTS                                                                    \
    LINE("ldr r8, [sp, #8]") LINE("ldrd r12, lr, [r8, %[a]]")                              \
    EMPTY(r0) EMPTY(r1) EMPTY(r2) EMPTY(r3) EMPTY(r4) EMPTY(r5) EMPTY(r6) EMPTY(r7)

/* 255 in `mask` for each byte of q that is at least `least`, in r9, and at most `most`, in r10,
 * else 0. r12 is 0; clobbers q. */
#define MASK_OF(q, mask)                                                                   \
    LINE("ssub8 " #mask ", " #q ", r9") LINE("mvn " #mask ", #0") LINE("sel " #mask ", " #mask ", r12") \
    LINE("ssub8 " #q ", r10, " #q) LINE("sel " #mask ", " #mask ", r12")
/* Zeroes sums whose mask byte is 0; clobbers r9. */
#define MASK_SUM(sum, mask, bit) LINE("sbfx r9, " #mask ", #" #bit ", #8") LINE("and " #sum ", r9")
#define MASK_ROW(mask, a, b, c, d)                                                         \
    MASK_SUM(a, mask, 0) MASK_SUM(b, mask, 8) MASK_SUM(c, mask, 16)                        \
    LINE("and " #d ", " #d ", " #mask ", asr #24")
/* q is in r11 and lr. Often all of them pass. */
#define MASK_BOTH                                                                          \
    LINE("ldrd r9, r10, [r8, %[least]]") LINE("mov r12, #0")                               \
    MASK_OF(r11, r8) MASK_OF(lr, r11)                                                      \
    LINE("and r9, r8, r11") LINE("cmn r9, #1") LINE("beq 4f")                              \
    MASK_ROW(r8, r0, r1, r2, r3) MASK_ROW(r11, r4, r5, r6, r7)                             \
    "4:\n\t"
#define MASK_TILE                                                                          \
    LINE("ldr r8, [sp, #8]") LINE("str lr, [r8, %[b]]")                                    \
    LINE("ldrd r9, r10, [r8, %[q]]") LINE("ldr r12, [r8, %[q_step]]")                      \
    LINE("ldr r11, [r9]") LINE("ldr lr, [r10]")                                            \
    LINE("add r9, r12") LINE("add r10, r12") LINE("strd r9, r10, [r8, %[q]]")              \
    MASK_BOTH
#define MASK_COLUMNS                                                                       \
    LINE("ldr r9, [r8, %[q]]") LINE("ldr r12, [r8, %[q_step]]")                            \
    LINE("ldr r11, [r9]") LINE("ldr lr, [r9, r12]")                                        \
    LINE("add r9, r9, r12, lsl #1") LINE("str r9, [r8, %[q]]")                             \
    MASK_BOTH

/* The same for mask bits, in r11 and lr from the lowest on. */
#define BIT_SUM(sum, bits, bit) LINE("sbfx r9, " #bits ", #" #bit ", #1") LINE("and " #sum ", r9")
#define BIT_ROW(bits, a, b, c, d) BIT_SUM(a, bits, 0) BIT_SUM(b, bits, 1) BIT_SUM(c, bits, 2) BIT_SUM(d, bits, 3)
/* at: the first bits of both rows, in r9 and r10. Clobbers r12. */
#define BITS_OF_BOTH                                                                       \
    LINE("ldr r12, [r8, %[bits]]")                                                         \
    LINE("lsr r11, r9, #3") LINE("lsr lr, r10, #3")                                        \
    LINE("ldrb r11, [r12, r11]") LINE("ldrb lr, [r12, lr]")                                \
    LINE("and r12, r9, #4") LINE("lsr r11, r12") LINE("and r12, r10, #4") LINE("lsr lr, r12")
#define BITS_OF_TILE                                                                       \
    LINE("ldr r8, [sp, #8]") LINE("str lr, [r8, %[b]]") LINE("ldrd r9, r10, [r8, %[bit]]") \
    BITS_OF_BOTH                                                                           \
    LINE("add r9, #4") LINE("add r10, #4") LINE("strd r9, r10, [r8, %[bit]]")              \
    BIT_ROW(r11, r0, r1, r2, r3) BIT_ROW(lr, r4, r5, r6, r7)
#define BITS_OF_COLUMNS                                                                    \
    LINE("ldr r9, [r8, %[bit]]") LINE("ldr r12, [r8, %[bit_step]]") LINE("add r10, r9, r12") \
    LINE("add r12, r10") LINE("str r12, [r8, %[bit]]")                                     \
    BITS_OF_BOTH                                                                           \
    BIT_ROW(r11, r0, r1, r2, r3) BIT_ROW(lr, r4, r5, r6, r7)

/* The upper halves of two values, without signs, in a; the larger ones in r9. */
#define SEE_TWO(a, b)                                                                      \
    LINE("pkhtb " #a ", " #b ", " #a ", asr #16") LINE("bic " #a ", #0x80008000")          \
    LINE("usub16 r10, " #a ", r9") LINE("sel r9, " #a ", r9")
#define SCALED(sum, scale) LINE("vcvt.f32.s32 " #sum ", " #sum) LINE("vmul.f32 " #sum ", " #sum ", " #scale)
#define NEAREST(sum, scale) LINE("vcvtr.s32.f32 " #sum ", " #sum)
#define TIMES_FACTOR                                                                       \
    LINE("vmul.f32 s8, s8, s12") LINE("vmul.f32 s9, s9, s12")                              \
    LINE("vmul.f32 s10, s10, s12") LINE("vmul.f32 s11, s11, s12")
#define SCALES_OF_TILE                                                                     \
    LINE("ldrd r9, r10, [r8, %[scale]]") LINE("vldr s12, [r8, %[factor]]")                 \
    LINE("vldm r9, {s8-s11}") LINE("add r9, r10") LINE("str r9, [r8, %[scale]]")           \
    TIMES_FACTOR
#define SCALE_AND_SEE(SCALES)                                                              \
    LINE("ldr r8, [sp, #8]")                                                               \
    SUMS_TO_FLOATS                                                                         \
    SCALES                                                                                 \
    EACH_SUM_OF_8(SCALED)                                                                  \
    FLOATS_TO_SUMS                                                                         \
    LINE("ldr r9, [r8, %[largest]]")                                                       \
    SEE_TWO(r0, r1) SEE_TWO(r2, r3) SEE_TWO(r4, r5) SEE_TWO(r6, r7)                        \
    LINE("str r9, [r8, %[largest]]")

/* Packs values as pairs. If no value so far exceeds the bound, which is the usual case, all are
 * within the limits. */
#define SATURATED(number) LINE("ssat " #number ", #16, " #number)
#define PAIR_OF(a, b) LINE("pkhbt " #a ", " #a ", " #b ", lsl #16")
#define LIMITED(pair)                                                                      \
    LINE("ssub16 r11, r9, " #pair) LINE("sel " #pair ", " #pair ", r9")                    \
    LINE("ssub16 r11, " #pair ", r10") LINE("sel " #pair ", " #pair ", r10")
#define ROUND_GRADIENTS                                                                    \
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
    "3:\n\t"
#define STORE_TILE                                                                         \
    LINE("ldrd r9, r10, [r8, %[dx]]")                                                      \
    LINE("str r0, [r9], #4") LINE("str r2, [r9], #4")                                      \
    LINE("str r4, [r10], #4") LINE("str r6, [r10], #4") LINE("strd r9, r10, [r8, %[dx]]")
#define STORE_COLUMNS                                                                      \
    LINE("ldr r9, [r8, %[dx]]") LINE("ldr r10, [r8, %[dx_step]]")                          \
    LINE("str r2, [r9, #4]") LINE("str r0, [r9]") LINE("add r9, r10")                      \
    LINE("str r6, [r9, #4]") LINE("str r4, [r9]") LINE("add r9, r10") LINE("str r9, [r8, %[dx]]")

#define DEFINE_GRADIENTS(name, ONCE, SUMS, MASK, SCALES, STORE_BOTH)                       \
    __attribute__((noinline)) static void name(gm_gradient_tiles *tiles)                        \
    {                                                                                      \
        register uintptr_t r0 __asm__("r0") = (uintptr_t)tiles;                            \
        __asm__ volatile(LINE("push {r0, r7}") LINE("sub sp, #8")                          \
                         ONCE                                                              \
                         "1:\n\t"                                                          \
                         SUMS MASK SCALE_AND_SEE(SCALES) ROUND_GRADIENTS STORE_BOTH        \
                         LINE("ldr r9, [r8, %[tiles]]") LINE("subs r9, #1") LINE("str r9, [r8, %[tiles]]") \
                         LINE("bne 1b")                                                    \
                         LINE("add sp, #8") LINE("pop {r0, r7}")                           \
                         : "+r"(r0)                                                        \
                         : TILES_OFFSET(a), TILES_OFFSET(b), TILES_OFFSET(bytes), TILES_OFFSET(q), \
                           TILES_OFFSET(q_step), TILES_OFFSET(least), TILES_OFFSET(scale), TILES_OFFSET(factor), \
                           TILES_OFFSET(largest), TILES_OFFSET(bound), TILES_OFFSET(limits), TILES_OFFSET(dx), \
                           TILES_OFFSET(dx_step), TILES_OFFSET(tiles), TILES_OFFSET(bits), TILES_OFFSET(bit), \
                           TILES_OFFSET(bit_step)                                          \
                         : PRODUCT_CHANGES, "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", \
                           "s12");                                                         \
    }

#if !GM_ARCH_HELIUM
#define PRODUCT_OF_TILE START_GRADIENTS PAIR_PRODUCT
DEFINE_GRADIENTS(make_tiles, FIND_PRODUCT, PRODUCT_OF_TILE, MASK_TILE, SCALES_OF_TILE, STORE_TILE)
DEFINE_GRADIENTS(make_tiles_by_bits, FIND_PRODUCT, PRODUCT_OF_TILE, BITS_OF_TILE, SCALES_OF_TILE, STORE_TILE)

#define gm_make_gradient_tiles(tiles) ((tiles)->bits ? make_tiles_by_bits : make_tiles)(tiles)
#endif

/* Ready-made sums, of four channels of two columns. */
#define SCALES_OF_ALL                                                                      \
    LINE("ldr r9, [r0, %[scale]]") LINE("vldr s12, [r0, %[factor]]") LINE("vldm r9, {s8-s11}") TIMES_FACTOR
#define LOAD_SUMS_OF_TWO                                                                   \
    LINE("ldr r8, [sp, #8]") LINE("ldr lr, [r8, %[b]]") LINE("ldm lr!, {r0-r7}") LINE("str lr, [r8, %[b]]")
DEFINE_GRADIENTS(make_columns, SCALES_OF_ALL, LOAD_SUMS_OF_TWO, MASK_COLUMNS, , STORE_COLUMNS)
#if GM_ARCH_HELIUM
#define make_columns_by_bits make_columns /* not called: gm_suits_gradient_tiles() */
#else
DEFINE_GRADIENTS(make_columns_by_bits, SCALES_OF_ALL, LOAD_SUMS_OF_TWO, BITS_OF_COLUMNS, , STORE_COLUMNS)
#endif

/* ---- Instructions ---------------------------------------------------------------------------- */

/* The upper half of the bits below which a value rounds to one within the limit. */
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
        .bits = f->mask.bits,
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
        tiles->bit[i] = at[i];
    }
    gm_make_gradient_tiles(tiles);
}

void gm_make_gradients_of_row(gm_gradient_tiles *tiles, const gm_finish_s16 *f, const uint32_t *sums, uint32_t at,
                              uint32_t step, uint32_t channel)
{
    tiles->b = sums;
    tiles->scale = f->scale ? f->scale + channel : ones;
    tiles->dx_step = step * (uint32_t)sizeof(int16_t);
    tiles->q_step = f->mask.q ? step : 0;
    tiles->dx[0] = f->dx + at;
    tiles->q[0] = f->mask.q ? f->mask.q + at : passing;
    tiles->bit[0] = at, tiles->bit_step = step;
    (tiles->bits ? make_columns_by_bits : make_columns)(tiles);
}

void gm_see_gradients(const gm_gradient_tiles *tiles, gm_finish_s16 *finish)
{
    uint32_t low = tiles->largest & 0xffffu, high = tiles->largest >> 16;
    float largest = gm_float_of((low > high ? low : high) << 16) * (1.0f / finish->inverse);
    finish->largest = gm_bits_of(largest) > finish->largest ? gm_bits_of(largest) : finish->largest;
}

#endif
