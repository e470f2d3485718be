/* Kernels of depthwise_3x3.h. */
#include "depthwise_3x3.h"

#include "registers.h"

#if GM_ARCH_PAIRS && GM_ARCH_DSP

/* ---- Sums ------------------------------------------------------------------------------------ */

/* What the loop over channels takes, in the order of the registers: addresses, those but the last of the channel before.
 * bias: not read where sums begin with 0. */
typedef struct channel_sums {
    uintptr_t x, end, sums, weights, bias;
    uint32_t left; /* channels */
} channel_sums;

/*
 * A pair of columns ends the outputs before it, and begins its own. Machine instructions: 19 for 18 products where the
 * stride is 1, 13 for 9 where it is 2.
 *
 *     r0   x                       r4-r6    first and second weight of each row
 *     r2   sums                    r8-r10   second and third
 *     r1, r3, r12  three rows      r11      bias
 *     r7, lr  sums of the outputs that begin with the first and the second column
 *
 * On the stack: the end of the sums, a gap, the struct, r7, which may be the frame pointer.
 */
#define THREE_ROWS LINE("ldr r3, [r0, #16]") LINE("ldr r12, [r0, #32]") LINE("ldr r1, [r0], #48")
#define BY_LAST_ROWS(mac, sum, w1, w2)                                                       \
    LINE(mac " " #sum ", r3, " #w1 ", " #sum) LINE(mac " " #sum ", r12, " #w2 ", " #sum)
#define BEGIN_FIRST LINE("smlad r7, r1, r4, r11") BY_LAST_ROWS("smlad", r7, r5, r6)
#define BEGIN_SECOND LINE("smlatb lr, r1, r4, r11") BY_LAST_ROWS("smlatb", lr, r5, r6)
#define BEGIN_WITH_0                                                                         \
    LINE("smuad r7, r1, r4") BY_LAST_ROWS("smlad", r7, r5, r6)                               \
    LINE("smultb lr, r1, r4") BY_LAST_ROWS("smlatb", lr, r5, r6)
#define FINISH_FIRST LINE("smlabt r7, r1, r8, r7") BY_LAST_ROWS("smlabt", r7, r9, r10)
#define FINISH_SECOND LINE("smlad lr, r1, r8, lr") BY_LAST_ROWS("smlad", lr, r9, r10)
#define STORE_TWO LINE("str lr, [r2, #16]") LINE("str r7, [r2], #32")

/* Whether all is done: the end is on the stack, or in the register of the bias. */
#define TO_END LINE("ldr lr, [sp]") LINE("cmp r2, lr")
#define TO_END_IN_REGISTER LINE("cmp r2, r11")

#define NEXT_CHANNEL(FROM)                                                                       \
    LINE("ldr lr, [sp, #8]") LINE("ldm lr, {r0-r3, r12}")                                    \
    LINE("add r0, #4") LINE("add r1, #4") LINE("add r2, #4") LINE("ldr r4, [r3, #4]!")       \
    LINE("ldr r5, [r3, #16]") LINE("ldr r6, [r3, #32]")                                      \
    LINE("ldr r8, [r3, #240]") LINE("ldr r9, [r3, #256]") LINE("ldr r10, [r3, #272]")        \
    FROM LINE("stm lr, {r0-r3, r12}")
#define FROM_BIAS LINE("ldr r11, [r12], #4") LINE("str r1, [sp]")
#define FROM_0 LINE("mov r11, r1")

#define DEFINE_3X3_SUMS(name, FROM, BEGIN, FINISH_AND_STORE, END)                            \
    __attribute__((noinline)) static void name(channel_sums *channels)                       \
    {                                                                                        \
        register uintptr_t r0 __asm__("r0") = (uintptr_t)channels;                           \
        __asm__ volatile(LINE("push {r0, r7}") LINE("sub sp, #8")                            \
                         "1:\n\t"                                                            \
                         NEXT_CHANNEL(FROM)                                                  \
                         THREE_ROWS                                                          \
                         "2:\n\t"                                                            \
                         BEGIN THREE_ROWS FINISH_AND_STORE                                   \
                         END LINE("bne 2b")                                                  \
                         LINE("ldr lr, [sp, #8]") LINE("ldr r1, [lr, %[left]]")              \
                         LINE("subs r1, #1") LINE("str r1, [lr, %[left]]") LINE("bne 1b")    \
                         LINE("add sp, #8") LINE("pop {r0, r7}")                             \
                         : "+r"(r0)                                                          \
                         : OFFSET(channel_sums, left)                                        \
                         : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory"); \
    }

DEFINE_3X3_SUMS(sums_by_1, FROM_BIAS, BEGIN_FIRST BEGIN_SECOND, FINISH_FIRST FINISH_SECOND STORE_TWO, TO_END)
DEFINE_3X3_SUMS(sums_by_1_from_0, FROM_0, BEGIN_WITH_0, FINISH_FIRST FINISH_SECOND STORE_TWO, TO_END_IN_REGISTER)
DEFINE_3X3_SUMS(sums_by_2, FROM_BIAS, BEGIN_FIRST, FINISH_FIRST LINE("str r7, [r2], #16"), TO_END)

/* The fields but the bias. */
static channel_sums channel_sums_of(const gm_depthwise_pixels *p, uint32_t at_once, uint32_t *sums)
{
    return (channel_sums){
        (uintptr_t)(p->x + p->column / 2 * GM_WORDS_OF_3_ROWS) - 4, (uintptr_t)(sums + GM_DEPTHWISE_CHANNELS * at_once) - 4,
        (uintptr_t)sums - 4, (uintptr_t)p->weights[0] - 4, 0, GM_DEPTHWISE_CHANNELS,
    };
}

void gm_depthwise_3x3_sums(gm_depthwise_pixels *p, uint32_t n, uint32_t *sums)
{
    channel_sums channels = channel_sums_of(p, p->stride == 1 ? n + n % 2 : n, sums);
    channels.bias = (uintptr_t)p->bias;
    (p->stride == 1 ? sums_by_1 : sums_by_2)(&channels);
    p->column += n * p->stride;
}

void gm_depthwise_3x3_sums_from_0(gm_depthwise_pixels *p)
{
    channel_sums channels = channel_sums_of(p, p->left + p->left % 2, p->y);
    sums_by_1_from_0(&channels);
}

/* ---- Gradients of weights -------------------------------------------------------------------- */

/*
 * One channel. Machine instructions for two outputs, which are 18 products: 20 where the stride is 1, 30 where it is 2.
 *
 *     r4-r6, r7-r9, r10-r12   three sums of each row     r2   dy of two outputs
 *     r0, r1   x, dy          r3   a pair of columns     lr   dy of the two before them
 *
 * On the stack: the end of dy, the struct, r7.
 */
#define LOAD_3X3 \
    LINE("ldm r0, {r1-r3}") LINE("ldm r1, {r4-r6}") LINE("ldm r2, {r7-r9}") LINE("ldm r3, {r10-r12}")
#define STORE_3X3 \
    LINE("ldr r0, [sp, #4]") \
    LINE("ldm r0, {r1-r3}") LINE("stm r1, {r4-r6}") LINE("stm r2, {r7-r9}") LINE("stm r3, {r10-r12}")
#define ADD_3X3(mac, sum, dy) LINE(mac " " #sum ", " #dy ", r3, " #sum)

/* The last of the loads moves x on. */
#define PAIR_BY_1(load, t0, t1, t2)                                                          \
    LINE("ldr r3, " load)                                                                    \
    ADD_3X3("smlatb", t1, lr) ADD_3X3("smlad", t2, lr) ADD_3X3("smlad", t0, r2) ADD_3X3("smlabt", t1, r2)
#define OUTPUTS_BY_1                                                                         \
    PAIR_BY_1("[r0, #16]", r7, r8, r9) PAIR_BY_1("[r0, #32]", r10, r11, r12) PAIR_BY_1("[r0], #48", r4, r5, r6)

#define PAIRS_BY_2(first, second, t0, t1, t2)                                                \
    LINE("ldr r3, " first)                                                                   \
    ADD_3X3("smlatb", t2, lr) ADD_3X3("smlabb", t0, r2) ADD_3X3("smlabt", t1, r2)            \
    LINE("ldr r3, " second)                                                                  \
    ADD_3X3("smlabb", t2, r2) ADD_3X3("smlatb", t0, r2) ADD_3X3("smlatt", t1, r2)
#define OUTPUTS_BY_2                                                                         \
    PAIRS_BY_2("[r0]", "[r0, #48]", r4, r5, r6) PAIRS_BY_2("[r0, #16]", "[r0, #64]", r7, r8, r9) \
    PAIRS_BY_2("[r0, #32]", "[r0, #80]", r10, r11, r12) LINE("add r0, #96")

#define DEFINE_3X3_GRADIENTS(name, OUTPUTS)                                                  \
    __attribute__((noinline)) static void name(const gm_depthwise_3x3_row *row)              \
    {                                                                                        \
        register uintptr_t r0 __asm__("r0") = (uintptr_t)row;                                \
        __asm__ volatile(LINE("ldr r1, [r0, %[dy_end]]") LINE("push {r0, r7}") LINE("push {r1, r7}") \
                         LINE("mov lr, r0") LINE("str r0, [sp, #4]")                         \
                         LOAD_3X3                                                            \
                         LINE("ldrd r0, r1, [lr, %[x]]") LINE("mov lr, #0")                  \
                         "1:\n\t"                                                            \
                         LINE("ldr r2, [r1], #16")                                           \
                         OUTPUTS                                                             \
                         LINE("mov lr, r2")                                                  \
                         LINE("ldr r3, [sp]") LINE("cmp r1, r3") LINE("bne 1b")              \
                         STORE_3X3                                                           \
                         LINE("add sp, #8") LINE("pop {r0, r7}")                             \
                         : "+r"(r0)                                                          \
                         : OFFSET(gm_depthwise_3x3_row, x), OFFSET(gm_depthwise_3x3_row, dy_end) \
                         : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory"); \
    }

DEFINE_3X3_GRADIENTS(gradients_by_1, OUTPUTS_BY_1)
DEFINE_3X3_GRADIENTS(gradients_by_2, OUTPUTS_BY_2)

void gm_depthwise_3x3_gradients(const gm_depthwise_3x3_row *row, uint32_t stride)
{
    gm_depthwise_3x3_row channel = *row;
    for (uint32_t c = 0; c < GM_DEPTHWISE_CHANNELS; c++) {
        (stride == 1 ? gradients_by_1 : gradients_by_2)(&channel);
        channel.sums[0] += 9, channel.sums[1] += 9, channel.sums[2] += 9;
        channel.x++, channel.dy++, channel.dy_end++;
    }
}

#endif
