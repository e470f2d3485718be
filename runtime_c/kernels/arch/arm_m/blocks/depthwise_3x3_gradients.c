/* Weight gradients of depthwise_3x3.h. */
#include "depthwise_3x3.h"

#include "registers.h"

#if GM_ARCH_3X3_GRADIENTS

#define LOAD_NINE_SUMS                                                                                  \
    LINE("ldm r0, {r1-r3}") LINE("ldm r1, {r4-r6}") LINE("ldm r2, {r7-r9}") LINE("ldm r3, {r10-r12}")
/* row: the stack slot of the struct. */
#define STORE_NINE_SUMS(row)                                                                            \
    LINE("ldr r0, " row)                                                                                \
    LINE("ldm r0, {r1-r3}") LINE("stm r1, {r4-r6}") LINE("stm r2, {r7-r9}") LINE("stm r3, {r10-r12}")

#if GM_ARCH_DSP

/*
 * One channel. Machine instructions for two outputs, which are 18 products: 20 at stride
 * 1, 30 at stride 2.
 *
 *     r4-r6, r7-r9, r10-r12   three sums of each row     r2   dy of two outputs
 *     r0, r1   x, dy          r3   a pair of columns     lr   dy of the two before them
 *
 * On the stack: the end of dy, the struct, r7.
 */
#define ADD_3X3(mac, sum, dy) LINE(mac " " #sum ", " #dy ", r3, " #sum)

/* The last of the loads advances x. */
#define PAIR_BY_1(load, t0, t1, t2)                                                                     \
    LINE("ldr r3, " load)                                                                               \
    ADD_3X3("smlatb", t1, lr) ADD_3X3("smlad", t2, lr) ADD_3X3("smlad", t0, r2) ADD_3X3("smlabt", t1, r2)
#define OUTPUTS_BY_1                                                                                    \
    PAIR_BY_1("[r0, #16]", r7, r8, r9) PAIR_BY_1("[r0, #32]", r10, r11, r12) PAIR_BY_1("[r0], #48", r4, r5, r6)

#define PAIRS_BY_2(first, second, t0, t1, t2)                                                           \
    LINE("ldr r3, " first)                                                                              \
    ADD_3X3("smlatb", t2, lr) ADD_3X3("smlabb", t0, r2) ADD_3X3("smlabt", t1, r2)                       \
    LINE("ldr r3, " second)                                                                             \
    ADD_3X3("smlabb", t2, r2) ADD_3X3("smlatb", t0, r2) ADD_3X3("smlatt", t1, r2)
#define OUTPUTS_BY_2                                                                                    \
    PAIRS_BY_2("[r0]", "[r0, #48]", r4, r5, r6) PAIRS_BY_2("[r0, #16]", "[r0, #64]", r7, r8, r9)        \
    PAIRS_BY_2("[r0, #32]", "[r0, #80]", r10, r11, r12) LINE("add r0, #96")

#define DEFINE_3X3_GRADIENTS(name, OUTPUTS)                                                             \
    __attribute__((noinline)) static void name(const gm_depthwise_3x3_row *row)                         \
    {                                                                                                   \
        register uintptr_t r0 __asm__("r0") = (uintptr_t)row;                                           \
        __asm__ volatile(LINE("ldr r1, [r0, %[dy_end]]") LINE("push {r0, r7}") LINE("push {r1, r7}")    \
                         LINE("mov lr, r0") LINE("str r0, [sp, #4]")                                    \
                         LOAD_NINE_SUMS                                                                 \
                         LINE("ldrd r0, r1, [lr, %[x]]") LINE("mov lr, #0")                             \
                         "1:\n\t"                                                                       \
                         LINE("ldr r2, [r1], #16")                                                      \
                         OUTPUTS                                                                        \
                         LINE("mov lr, r2")                                                             \
                         LINE("ldr r3, [sp]") LINE("cmp r1, r3") LINE("bne 1b")                         \
                         STORE_NINE_SUMS("[sp, #4]")                                                    \
                         LINE("add sp, #8") LINE("pop {r0, r7}")                                        \
                         : "+r"(r0)                                                                     \
                         : OFFSET(gm_depthwise_3x3_row, x), OFFSET(gm_depthwise_3x3_row, dy_end)        \
                         : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory"); \
    }

#else

/*
 * One channel, two outputs at a time, then the last one if their number is odd. Machine
 * instructions for 18 products: 35 at stride 1, 38 at stride 2.
 *
 *     r4-r6, r7-r9, r10-r12   three sums of each row     r2, lr   dy of two outputs
 *     r0, r1   x, dy                                     r3       a value of x
 *
 * On the stack: the end of dy, whether one output is left, the struct, r7, which may be
 * the frame pointer.
 */
#define NUMBER(at) LINE("ldrsh r3, " at)
#define TIMES(sum, dy) LINE("mla " #sum ", r3, " #dy ", " #sum)

/* The first value is loaded last, because its load may advance x. */
#define ROW_BY_1(x0, x1, x2, x3, t0, t1, t2)                                                            \
    NUMBER(x1) TIMES(t1, r2) TIMES(t0, lr) NUMBER(x2) TIMES(t2, r2) TIMES(t1, lr)                       \
    NUMBER(x3) TIMES(t2, lr) NUMBER(x0) TIMES(t0, r2)
#define OUTPUTS_BY_1                                                                                    \
    ROW_BY_1("[r0, #16]", "[r0, #18]", "[r0, #64]", "[r0, #66]", r7, r8, r9)                            \
    ROW_BY_1("[r0, #32]", "[r0, #34]", "[r0, #80]", "[r0, #82]", r10, r11, r12)                         \
    ROW_BY_1("[r0], #48", "[r0, #2]", "[r0, #48]", "[r0, #50]", r4, r5, r6)
#define ROW_BY_2(x0, x1, x2, x3, x4, t0, t1, t2)                                                        \
    NUMBER(x1) TIMES(t1, r2) NUMBER(x2) TIMES(t2, r2) TIMES(t0, lr) NUMBER(x3) TIMES(t1, lr)            \
    NUMBER(x4) TIMES(t2, lr) NUMBER(x0) TIMES(t0, r2)
#define OUTPUTS_BY_2                                                                                    \
    ROW_BY_2("[r0, #16]", "[r0, #18]", "[r0, #64]", "[r0, #66]", "[r0, #112]", r7, r8, r9)              \
    ROW_BY_2("[r0, #32]", "[r0, #34]", "[r0, #80]", "[r0, #82]", "[r0, #128]", r10, r11, r12)           \
    ROW_BY_2("[r0], #96", "[r0, #2]", "[r0, #48]", "[r0, #50]", "[r0, #96]", r4, r5, r6)
#define ROW_OF_ONE(x0, x1, x2, t0, t1, t2)                                                              \
    NUMBER(x0) TIMES(t0, r2) NUMBER(x1) TIMES(t1, r2) NUMBER(x2) TIMES(t2, r2)
#define LAST_OUTPUT                                                                                     \
    ROW_OF_ONE("[r0]", "[r0, #2]", "[r0, #48]", r4, r5, r6)                                             \
    ROW_OF_ONE("[r0, #16]", "[r0, #18]", "[r0, #64]", r7, r8, r9)                                       \
    ROW_OF_ONE("[r0, #32]", "[r0, #34]", "[r0, #80]", r10, r11, r12)

#define DEFINE_3X3_GRADIENTS(name, OUTPUTS)                                                             \
    __attribute__((noinline)) static void name(const gm_depthwise_3x3_row *row)                         \
    {                                                                                                   \
        register uintptr_t r0 __asm__("r0") = (uintptr_t)row;                                           \
        __asm__ volatile(LINE("ldrd r1, r2, [r0, %[dy_end]]") LINE("push {r0, r7}") LINE("push {r1, r2}") \
                         LINE("mov lr, r0")                                                             \
                         LOAD_NINE_SUMS                                                                 \
                         LINE("ldrd r0, r1, [lr, %[x]]")                                                \
                         LINE("ldr r3, [sp]") LINE("cmp r1, r3") LINE("beq 2f")                         \
                         "1:\n\t"                                                                       \
                         LINE("ldrsh lr, [r1, #2]") LINE("ldrsh r2, [r1], #16")                         \
                         OUTPUTS                                                                        \
                         LINE("ldr r3, [sp]") LINE("cmp r1, r3") LINE("bne 1b")                         \
                         "2:\n\t"                                                                       \
                         LINE("ldr r3, [sp, #4]") LINE("cmp r3, #0") LINE("beq 3f")                     \
                         LINE("ldrsh r2, [r1]") LAST_OUTPUT                                             \
                         "3:\n\t"                                                                       \
                         STORE_NINE_SUMS("[sp, #8]")                                                    \
                         LINE("add sp, #8") LINE("pop {r0, r7}")                                        \
                         : "+r"(r0)                                                                     \
                         : OFFSET(gm_depthwise_3x3_row, x), OFFSET(gm_depthwise_3x3_row, dy_end)        \
                         : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory"); \
    }

#endif

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
