/*
 * Macros that the Helium kernels share, and what they provide to the kernels for Cortex-M with FPU.
 *
 * Helium flushes subnormal inputs and results to zero, which plain C keeps, and reports that in
 * FPSCR: any instruction that flushes sets IDC or UFC. So a tile clears both, computes its sums in
 * registers, and stores them only if both are still clear; else it returns 0 and has changed
 * nothing, and the caller computes the sums without Helium. The other bits of FPSCR stay: LTPSIZE
 * is one of them. Loads and stores preserve all bits.
 */
#ifndef GM_HELIUM_H
#define GM_HELIUM_H

#include "../../../generated/instructions/conv.h"
#include "../../../generated/instructions/conv_transpose.h"
#include "../arch.h"
#include "../../conv_gradient.h"
#include "../arm_m/blocks/channels.h"
#include "../arm_m/blocks/registers.h"
#include "../arm_m/blocks/taps.h"
#include "../arm_m/blocks/strided_loop.h"

#if GM_ARCH_HELIUM

/* gm_loop_across() for so many outputs. Each returns 0 if it did nothing, because of subnormals. */
int gm_helium_across_16(const gm_loop *loop, const float *a, const float *b, float *y);
int gm_helium_across_8(const gm_loop *loop, const float *a, const float *b, float *y);
int gm_helium_across_4(const gm_loop *loop, const float *a, const float *b, float *y);

/* gm_loop_products() for 8 elements. */
int gm_helium_products_8(const gm_loop *loop, const float *a, const float *b, float *y);

/* gm_conv_gradient_of_neighbours() for adjacent input channels and adjacent output channels.
 * Otherwise returns 0. */
int gm_helium_conv_gradient(const gm_conv_gradient *g, const float *x, const float *dy,
                            const gm_gradient_target *target);

/* The same for 3 input channels, adjacent or not, and a multiple of eight output channels, in one
 * group: a first layer with colour inputs. Returns 0 otherwise, or if kernels are large. */
int gm_helium_three_channels(const gm_conv_gradient *g, const float *x, const float *dy,
                             const gm_gradient_target *target);

/* The same for one input channel. */
int gm_helium_one_channel(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target);

/* The rule's step of n parameters from `first` on. args: a copy of `update`, which has the pointers
 * to all parameters. */
void gm_helium_step(const gm_rule_args *update, gm_rule_args *args, const float *g, uint32_t first, uint32_t n);

/* All gradients of groups with one input and one output channel, which are adjacent; and CONV and
 * CONV_TRANSPOSE of these, for one sample whose outputs are not started; without a bias, the
 * outputs of CONV_TRANSPOSE are final. Return 0, and do nothing, if kernels are not three taps wide
 * or otherwise do not suit. */
int gm_helium_depthwise_gradient(const gm_conv_gradient *g, const float *x, const float *dy,
                                 const gm_gradient_target *target);
int gm_helium_depthwise(const gm_insn_conv *insn, const float *x, const float *w, const float *bias, float *y);
int gm_helium_depthwise_transpose(const gm_insn_conv_transpose *insn, const float *y, const float *w, const float *bias,
                                  float *x);

/* One group of CONV, and of CONV_TRANSPOSE without its last step; each output starts from
 * its current value. Returns 0, and does nothing, if input or output channels are not
 * adjacent, or too few. */
int gm_helium_conv(const gm_insn_conv *insn, const float *x, const float *w, float *y);
int gm_helium_conv_transpose(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x);

/* The same for 1x1 convolutions with outputs that are not started, each from the empty sum;
 * CONV_TRANSPOSE with its last step. Return 0, and do nothing, also if there is a stride, pixels
 * are few or unevenly spaced, or channels are not a multiple of eight. */
int gm_helium_conv_from_empty(const gm_insn_conv *insn, const float *x, const float *w, float *y);
int gm_helium_conv_transpose_from_empty(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x);

/* y = (x - mean) (scale inv_std) + bias for 8 channels in n pixels, `step` bytes apart; the
 * same with relu; and without mean and bias. Return how many pixels are left, at the end:
 * subnormals begin there. */
uint32_t gm_helium_normalize(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v);
uint32_t gm_helium_normalize_relu(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v);
uint32_t gm_helium_scale(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v);

/* NORMALIZE_SUMS for 8 channels. Returns 0 if it did nothing. */
int gm_helium_normalize_sums(const float *dy, const float *x, uint32_t n, uint32_t step, const gm_channel_sums *v);

/* gm_add_blocks() for inputs at any stride, in_tap from one tap to the next, and adjacent outputs,
 * 4, 8 ... of them. It ignores subnormals: the caller checks for them, and repairs the outputs. */
void gm_helium_add_blocks(const gm_product *product, uint32_t in_tap, const float *in, const float *w, float *out);

/* Each block of assembly enables Helium for the assembler, so that no compiler flag is needed: with
 * Helium among its flags, the compiler would use it by itself. */
#define HELIUM LINE(".arch_extension mve.fp")

/* IDC and UFC, through a register, which is 0 if neither is set */
#define CLEAR_FLUSHED(r) LINE("vmrs " #r ", fpscr") LINE("bic " #r ", #0x88") LINE("vmsr fpscr, " #r)
#define IF_FLUSHED(r, to) LINE("vmrs " #r ", fpscr") LINE("ands " #r ", #0x88") LINE("bne " #to)

static inline void gm_helium_forget_flushed(void)
{
    uint32_t flags;
    __asm__ volatile(CLEAR_FLUSHED(%[flags]) : [flags] "=&r"(flags) : : "memory");
}

/* Whether anything was flushed since gm_helium_forget_flushed() */
static inline int gm_helium_flushed(void)
{
    uint32_t flags;
    __asm__ volatile("vmrs %[flags], fpscr" : [flags] "=r"(flags) : : "memory");
    return (flags & 0x88) > 0;
}

/* sums += b a, for 4 sums; a is in a core register. */
#define VFMA(sums, b, a) LINE("vfma.f32 " #sums ", " #b ", " #a)

/* 4 empty sums plus b a */
#define VMUL(sums, b, a) LINE("vmul.f32 " #sums ", " #b ", " #a)

#else

#define gm_helium_across_16(loop, a, b, y) 0
#define gm_helium_across_8(loop, a, b, y) 0
#define gm_helium_across_4(loop, a, b, y) 0
#define gm_helium_products_8(loop, a, b, y) 0
#define gm_helium_conv_gradient(g, x, dy, target) 0
#define gm_helium_depthwise_gradient(g, x, dy, target) 0
#define gm_helium_depthwise_transpose(insn, y, w, bias, x) 0
#define gm_helium_conv_transpose(insn, y, w, x) 0
#define gm_helium_conv_transpose_from_empty(insn, y, w, x) 0
#define gm_helium_conv_from_empty(insn, x, w, y) 0
#define gm_helium_normalize_sums(dy, x, n, step, v) 0

#endif
#endif
