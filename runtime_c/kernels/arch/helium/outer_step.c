/*
 * SGD's step of an outer product with Helium: 5 or 4 rows at a time share the loads of the gradient
 * row. Machine instructions per parameter of long rows: 1.25, for 4 rows 1.31.
 */
#include "../../../generated/instructions/gemm_update.h"
#include "../../optimizers/steps.h"
#include "helium.h"

#if GM_ARCH_HELIUM && GM_WITH_SGD && GM_WITH_GEMM_UPDATE

/* Consecutive blocks of rows, all of 5 or all of 4. Steps are in bytes. */
typedef struct outer_blocks {
    const float *g;
    uint32_t n;     /* columns */
    const float *a; /* the rows' scales */
    uint32_t a_row;
    float *p;
    uint32_t p_row;
    uint32_t p_block;  /* from the end of the vectors of a block's first row to the next block */
    uint32_t blocks;   /* number of remaining blocks */
    uint32_t minus_lr; /* the bits of a float */
} outer_blocks;

/* OUTER_FIVE keeps what only a block of 5 rows has. */
#define OUTER_FIVE(what) what
#define OUTER_FOUR(what)

/* Puts the rows of p in r1 to r5 (r1 is set), and their scales in r6 and r8 to r11. */
#define BEGIN_OUTER_ROWS(FIVE)                                                                                \
    LINE("ldr r12, [r7, %[p_row]]")                                                                           \
    LINE("add r2, r1, r12") LINE("add r3, r2, r12") LINE("add r4, r3, r12") FIVE(LINE("add r5, r4, r12"))     \
    LINE("ldrd r12, lr, [r7, %[a]]")                                                                          \
    LINE("ldr r6, [r12]") LINE("ldr r8, [r12, lr]") LINE("add r12, r12, lr, lsl #1")                          \
    LINE("ldr r9, [r12]") LINE("ldr r10, [r12, lr]") LINE("add r12, r12, lr, lsl #1")                         \
    FIVE(LINE("ldr r11, [r12]") LINE("add r12, lr"))                                                          \
    LINE("str r12, [r7, %[a]]")

/* p += minus_lr (scale g), for 4 parameters; minus_lr is in q7, g in q0; clobbers q1. */
#define STEP_OUTER_4(sums, p, scale)                                                                          \
    LINE("vmul.f32 q1, q0, " #scale) LINE("vldrw.u32 " #sums ", [" #p "]") VFMA(sums, q1, q7)
#define STEP_OUTER_ROWS(FIVE)                                                                                 \
    STEP_OUTER_4(q2, r1, r6) STEP_OUTER_4(q3, r2, r8) STEP_OUTER_4(q4, r3, r9) STEP_OUTER_4(q5, r4, r10) FIVE(STEP_OUTER_4(q6, r5, r11))
#define PUT_4(sums, p) LINE("vstrw.32 " #sums ", [" #p "], #16")
#define PUT_ROWS(FIVE) PUT_4(q2, r1) PUT_4(q3, r2) PUT_4(q4, r3) PUT_4(q5, r4) FIVE(PUT_4(q6, r5))

/* Jumps to `next` if another block is left. */
#define NEXT_BLOCK(next)                                                                                      \
    LINE("ldrd r12, lr, [r7, %[p_block]]") LINE("add r1, r12") LINE("subs lr, #1")                            \
    LINE("str lr, [r7, %[blocks]]")                                                                           \
    LINE("bne " #next)

#define BLOCKS_OFFSET(name) [name] "i"(offsetof(outer_blocks, name))

/* Defines a function that computes the remaining blocks. It stops before 4 columns of a block with
 * subnormals, and returns how many columns of it are left; else 0. It restores r7, which may be
 * the frame pointer. */
#define DEFINE_OUTER_STEP(name, FIVE)                                                                         \
    __attribute__((noinline)) static uint32_t name(outer_blocks *step)                                        \
    {                                                                                                         \
        register outer_blocks *r0 __asm__("r0") = step;                                                       \
        register uint32_t left __asm__("lr");                                                                 \
        __asm__ volatile(HELIUM                                                                               \
                         CLEAR_FLUSHED(r12)                                                                   \
                         LINE("push {r7}") LINE("mov r7, r0")                                                 \
                         LINE("ldr r12, [r7, %[minus_lr]]") LINE("vdup.32 q7, r12")                           \
                         LINE("ldr r1, [r7, %[p]]")                                                           \
                         "1:\n\t"                                                                             \
                         BEGIN_OUTER_ROWS(FIVE)                                                               \
                         LINE("ldrd r0, lr, [r7, %[g]]")                                                      \
                         LINE("dlstp.32 lr, lr")                                                              \
                         "2:\n\t"                                                                             \
                         LINE("vldrw.u32 q0, [r0], #16")                                                      \
                         STEP_OUTER_ROWS(FIVE)                                                                \
                         IF_FLUSHED(r12, 3f)                                                                  \
                         PUT_ROWS(FIVE)                                                                       \
                         LINE("letp lr, 2b")                                                                  \
                         NEXT_BLOCK(1b)                                                                       \
                         "3:\n\t"                                                                             \
                         LINE("lctp") LINE("pop {r7}")                                                        \
                         : "+r"(r0), "=r"(left)                                                               \
                         : BLOCKS_OFFSET(g), BLOCKS_OFFSET(a), BLOCKS_OFFSET(p), BLOCKS_OFFSET(p_row), BLOCKS_OFFSET(p_block), BLOCKS_OFFSET(blocks), \
                           BLOCKS_OFFSET(minus_lr)                                                            \
                         : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", CHANGED);     \
        return left;                                                                                          \
    }

DEFINE_OUTER_STEP(step_of_5_rows, OUTER_FIVE)
DEFINE_OUTER_STEP(step_of_4_rows, OUTER_FOUR)

/* The last `left` columns of `rows` rows, with subnormals. */
static void finish_block(const gm_rule_args *args, const float *a, uint32_t a_row, float *p, uint32_t rows,
                         uint32_t left)
{
    uint32_t done = args->n - left;
    for (uint32_t i = 0; i < rows; i++) {
        gm_sgd_step(args->g + done, p + i * args->n + done, left, -args->lr, a[i * a_row]);
    }
}

/* Blocks of `rows` rows, 4 or 5, from a and p on. */
static void step_of_blocks(const gm_rule_args *args, const float *a, uint32_t a_row, float *p, uint32_t blocks,
                           uint32_t rows)
{
    uint32_t vectors = (args->n + 3) / 4, size = rows * args->n;
    while (blocks > 0) {
        outer_blocks step = { .g = args->g, .n = args->n, .a = a, .a_row = 4 * a_row, .p = p, .p_row = 4 * args->n,
                              .p_block = 4 * size - 16 * vectors, .blocks = blocks,
                              .minus_lr = gm_bits_of(-args->lr) };
        uint32_t left = rows == 5 ? step_of_5_rows(&step) : step_of_4_rows(&step);
        uint32_t done = blocks - step.blocks;
        a += done * rows * a_row, p += done * size, blocks -= done;
        if (left > 0) {
            finish_block(args, a, a_row, p, rows, left);
            a += rows * a_row, p += size, blocks--;
        }
    }
}

int gm_sgd_outer(const gm_rule_args *args, const float *a, uint32_t a_row, uint32_t m)
{
    if (!gm_is_plain_sgd(args->rule) || args->n < 4) {
        return 0;
    }
    uint32_t fours = (5 - m % 5) % 5; /* so that no row is left: m is 5 fives + 4 fours */
    fours = 4 * fours > m ? 0 : fours;
    uint32_t fives = (m - 4 * fours) / 5, done = 5 * fives + 4 * fours;
    float *p = args->p;
    step_of_blocks(args, a, a_row, p, fives, 5);
    step_of_blocks(args, a + 5 * fives * a_row, a_row, p + 5 * fives * args->n, fours, 4);
    for (; done < m; done++) {
        gm_sgd_step(args->g, p + done * args->n, args->n, -args->lr, a[done * a_row]);
    }
    return 1;
}

#endif
