/*
 * The tiles of update_tiles.h. Machine instructions per tile of k pixels, for 6 and 4 rows: 10.25 k
 * + 41 and 8.25 k + 34, which is 0.43 and 0.52 for each multiply-accumulate of a long sum.
 *
 *     r1, r2    dy, and its step       q0-q5   sums
 *     r6, r8    x, and its step        q6      x, then parameters
 *     r5        parameters             r3, r4, r9-r12  one pixel of dy, then addresses of rows
 *     r7        x of the first pixel
 */
#include "../../../../generated/instructions/conv_update.h"
#include "update_tiles.h"

#include <stddef.h>

#include "../../../../src/gm_internal.h"
#include "../helium.h"

#if GM_ARCH_HELIUM && GM_WITH_SGD && GM_WITH_CONV_UPDATE

/* UPDATE_SIX keeps what only a tile with 6 rows has. */
#define UPDATE_SIX(what) what
#define UPDATE_FOUR(what)

#define UPDATE_OFFSET(name) [name] "i"(offsetof(gm_update_tiles, name))

/* The first products replace empty sums. */
#define PIXEL(TAKE, SIX)                                                                                      \
    LINE("ldm r1, {r3, r4, r9, r10" SIX(", r11, r12") "}") LINE("add r1, r2")                                 \
    LINE("vldrw.u32 q6, [r6]") LINE("add r6, r8")                                                             \
    TAKE(q0, q6, r3) TAKE(q1, q6, r4) TAKE(q2, q6, r9) TAKE(q3, q6, r10)                                      \
    SIX(TAKE(q4, q6, r11) TAKE(q5, q6, r12))
#define PIXELS(SIX)                                                                                           \
    LINE("ldr r1, [r0, %[dy]]") LINE("mov r6, r7")                                                            \
    PIXEL(VMUL, SIX)                                                                                 \
    LINE("ldr lr, [r0, %[fours]]") LINE("wls lr, lr, 3f")                                                     \
    "2:\n\t"                                                                                                  \
    PIXEL(VFMA, SIX) PIXEL(VFMA, SIX) PIXEL(VFMA, SIX) PIXEL(VFMA, SIX)           \
    LINE("le lr, 2b")                                                                                         \
    "3:\n\t"                                                                                                  \
    LINE("ldr lr, [r0, %[rest]]") LINE("wls lr, lr, 5f")                                                      \
    "4:\n\t"                                                                                                  \
    PIXEL(VFMA, SIX)                                                                                   \
    LINE("le lr, 4b")                                                                                         \
    "5:\n\t"

/* Once a row's sums are added to its parameters, their register is free for the
 * parameters of the next row. */
#define STEP_ROW(parameters, sums, p) LINE("vldrw.u32 " #parameters ", [" #p "]") VFMA(parameters, sums, lr)
#define STEP_TILE_ROWS(SIX)                                                                                   \
    LINE("ldrd r9, lr, [r0, %[p_row]]")                                                                       \
    LINE("add r3, r5, r9") LINE("add r4, r3, r9") LINE("add r10, r4, r9")                                     \
    SIX(LINE("add r11, r10, r9") LINE("add r12, r11, r9"))                                                    \
    STEP_ROW(q6, q0, r5) STEP_ROW(q0, q1, r3) STEP_ROW(q1, q2, r4) STEP_ROW(q2, q3, r10)                      \
    SIX(STEP_ROW(q3, q4, r11) STEP_ROW(q4, q5, r12))
#define STORE_TILE_ROWS(SIX)                                                                                  \
    LINE("vstrw.32 q6, [r5], #16") LINE("vstrw.32 q0, [r3]") LINE("vstrw.32 q1, [r4]")                        \
    LINE("vstrw.32 q2, [r10]") SIX(LINE("vstrw.32 q3, [r11]") LINE("vstrw.32 q4, [r12]"))

/* Defines a function; it restores r7, which may be the frame pointer. */
#define DEFINE_UPDATE_TILES(name, SIX)                                                                        \
    __attribute__((noinline)) void name(gm_update_tiles *tiles)                                               \
    {                                                                                                         \
        register gm_update_tiles *r0 __asm__("r0") = tiles;                                                   \
        __asm__ volatile(HELIUM                                                                               \
                         CLEAR_FLUSHED(r12)                                                                   \
                         LINE("push {r7}")                                                                    \
                         LINE("ldr r2, [r0, %[dy_k]]") LINE("ldrd r7, r8, [r0, %[x]]")                        \
                         LINE("ldr r5, [r0, %[p]]")                                                           \
                         "1:\n\t"                                                                             \
                         PIXELS(SIX)                                                                          \
                         STEP_TILE_ROWS(SIX)                                                                  \
                         IF_FLUSHED(r9, 6f)                                                                   \
                         STORE_TILE_ROWS(SIX)                                                                 \
                         LINE("ldr r9, [r0, %[left]]")                                                        \
                         LINE("add r7, #16")                                                                  \
                         LINE("subs r9, #1")                                                                  \
                         LINE("str r9, [r0, %[left]]")                                                        \
                         LINE("bne 1b")                                                                       \
                         "6:\n\t"                                                                             \
                         LINE("str r7, [r0, %[x]]") LINE("str r5, [r0, %[p]]")                                \
                         LINE("pop {r7}")                                                                     \
                         : "+r"(r0)                                                                           \
                         : UPDATE_OFFSET(dy), UPDATE_OFFSET(dy_k), UPDATE_OFFSET(x), UPDATE_OFFSET(p), UPDATE_OFFSET(p_row), UPDATE_OFFSET(fours), UPDATE_OFFSET(rest), \
                           UPDATE_OFFSET(left)                                                                \
                         : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr",         \
                           CHANGED);                                                                          \
    }

DEFINE_UPDATE_TILES(gm_update_tiles_of_6, UPDATE_SIX)
DEFINE_UPDATE_TILES(gm_update_tiles_of_4, UPDATE_FOUR)

#endif
