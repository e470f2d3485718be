/* Sums of depthwise_3x3.h. */
#include "depthwise_3x3.h"

#include "registers.h"

#if GM_ARCH_PAIRS && GM_ARCH_DSP

/* The inputs of the loop over channels, in register order. All addresses but bias point at the
 * previous channel. Sums that begin at 0 do not read bias. */
typedef struct channel_sums {
    uintptr_t x, end, sums, weights, bias;
    uint32_t left; /* channels */
} channel_sums;

/*
 * Each pair of columns completes the outputs before it, and starts its own. Machine instructions:
 * 19 for 18 products at stride 1, 13 for 9 at stride 2.
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

/* All fields except bias. */
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

#endif
