/*
 * Pieces that the kernels for Helium share, and what they give to those for Cortex-M with FPU.
 *
 * Helium flushes subnormal inputs and results to zero, where plain C keeps them, and says so in
 * FPSCR: IDC and UFC are set by any instruction that did. So a tile clears both, computes its
 * sums in registers, and stores them only where both are clear still; else it returns 0 and has
 * changed nothing, and the sums are computed without Helium. The other bits of FPSCR stay:
 * LTPSIZE is one of them. Loads and stores pass all bits on.
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

/* gm_loop_across() of so many outputs. Each returns 0 where nothing is done: subnormal numbers are
 * there. */
int gm_helium_across_16(const gm_loop *loop, const float *a, const float *b, float *y);
int gm_helium_across_8(const gm_loop *loop, const float *a, const float *b, float *y);
int gm_helium_across_4(const gm_loop *loop, const float *a, const float *b, float *y);

/* gm_loop_products() of 8. */
int gm_helium_products_8(const gm_loop *loop, const float *a, const float *b, float *y);

/* gm_conv_gradient_of_neighbours() of input and output channels that both are neighbours. Returns 0
 * where that is not so. */
int gm_helium_conv_gradient(const gm_conv_gradient *g, const float *x, const float *dy,
                            const gm_gradient_target *target);

/* The same of 3 input channels, neighbours or not, and whole eights of output channels, in one group: a first layer whose
 * inputs are colours. Returns 0 where that is not so, or kernels are large. */
int gm_helium_three_channels(const gm_conv_gradient *g, const float *x, const float *dy,
                             const gm_gradient_target *target);

/* The same of one input channel. */
int gm_helium_one_channel(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target);

/* The rule's step of n parameters from `first` on. args: a copy of `update`, which says of which. */
void gm_helium_step(const gm_rule_args *update, gm_rule_args *args, const float *g, uint32_t first, uint32_t n);

/* All gradients of groups of one input and one output channel, which are neighbours; and CONV and
 * CONV_TRANSPOSE of these, one sample, whose outputs are not started; the latter's are what they are to
 * be where there is no bias. Return 0, and do nothing, where kernels are not three taps wide or the
 * like. */
int gm_helium_depthwise_gradient(const gm_conv_gradient *g, const float *x, const float *dy,
                                 const gm_gradient_target *target);
int gm_helium_depthwise(const gm_insn_conv *insn, const float *x, const float *w, const float *bias, float *y);
int gm_helium_depthwise_transpose(const gm_insn_conv_transpose *insn, const float *y, const float *w, const float *bias,
                                  float *x);

/* One group of CONV, and of CONV_TRANSPOSE without its last step; each output starts from what it
 * is. Returns 0, and does nothing, where input and output channels are not neighbours, or too few. */
int gm_helium_conv(const gm_insn_conv *insn, const float *x, const float *w, float *y);
int gm_helium_conv_transpose(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x);

/* The same of 1x1 convolutions whose outputs are not started, each from the empty sum; CONV_TRANSPOSE with its last step.
 * Return 0, and do nothing, too where there is a stride, pixels are few or not equally far from each other, or channels
 * are not by eight. */
int gm_helium_conv_from_empty(const gm_insn_conv *insn, const float *x, const float *w, float *y);
int gm_helium_conv_transpose_from_empty(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x);

/* y = (x - mean) (scale inv_std) + bias of 8 channels in n pixels, `step` bytes apart; the same
 * with relu; and without mean and bias. Return how many pixels are left, the last ones: there
 * subnormal numbers begin. */
uint32_t gm_helium_normalize(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v);
uint32_t gm_helium_normalize_relu(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v);
uint32_t gm_helium_scale(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v);

/* NORMALIZE_SUMS of 8 channels. Returns 0 where nothing is done. */
int gm_helium_normalize_sums(const float *dy, const float *x, uint32_t n, uint32_t step, const gm_channel_sums *v);

/* gm_add_blocks() of inputs anywhere, in_tap from one tap to the next, and outputs that are
 * neighbours, 4, 8 ... of them. It does not care for subnormal numbers: who calls asks for them,
 * and repairs what they spoilt. */
void gm_helium_add_blocks(const gm_product *product, uint32_t in_tap, const float *in, const float *w, float *out);

/* The assembler is told in each block of assembly, so that no flag of the compiler is needed: with
 * Helium among its flags it would use it of its own accord. */
#define HELIUM LINE(".arch_extension mve.fp")

/* IDC and UFC, by way of a register, which is 0 where neither is set */
#define CLEAR_FLUSHED(r) LINE("vmrs " #r ", fpscr") LINE("bic " #r ", #0x88") LINE("vmsr fpscr, " #r)
#define IF_FLUSHED(r, to) LINE("vmrs " #r ", fpscr") LINE("ands " #r ", #0x88") LINE("bne " #to)

static inline void gm_helium_forget_flushed(void)
{
    uint32_t flags;
    __asm__ volatile(CLEAR_FLUSHED(%[flags]) : [flags] "=&r"(flags) : : "memory");
}

/* Since they were forgotten */
static inline int gm_helium_flushed(void)
{
    uint32_t flags;
    __asm__ volatile("vmrs %[flags], fpscr" : [flags] "=r"(flags) : : "memory");
    return (flags & 0x88) > 0;
}

/* sums += b a, of 4 sums; a is in a register of the core. */
#define VFMA(sums, b, a) LINE("vfma.f32 " #sums ", " #b ", " #a)

/* What 4 empty sums become by b a */
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
