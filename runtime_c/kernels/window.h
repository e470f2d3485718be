/*
 * The window that convolutions and pools slide over rows and columns of the input.
 *
 * Input row of output row o and kernel row k: o stride + k dilation - pad. Rows are unsigned:
 * negative rows wrap, so any row outside 0 .. in_h - 1 fails the one comparison with in_h.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "../generated/instructions/enum_activation.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"
#include "arch/arch.h"

/* Adjacent channels that plain C computes at once if it can, to share loads. If tiles
 * cover nearly all convolutions, plain C sees only the remainders: there one is enough,
 * and takes fewer bytes. */
#define GM_CHANNELS_AT_ONCE (GM_ARCH_SCALAR ? 1u : 4u)

typedef struct gm_window {
    uint32_t in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_h, pad_w;
} gm_window;

/* The window of any instruction that has these parameters. */
#define GM_WINDOW(insn)                                                                                              \
    {(insn)->in_h,     (insn)->in_w,     (insn)->out_h,      (insn)->out_w,      (insn)->kernel_h, (insn)->kernel_w, \
     (insn)->stride_h, (insn)->stride_w, (insn)->dilation_h, (insn)->dilation_w, (insn)->pad_h,    (insn)->pad_w}

/* Strides of a tensor in elements. Pools have one group. */
typedef struct gm_layout {
    uint32_t batch, h, w, group, channel;
} gm_layout;

/* The layouts of x and y of a convolution instruction. */
#define GM_X_LAYOUT(insn) {(insn)->x_batch, (insn)->x_h, (insn)->x_w, (insn)->x_group, (insn)->x_channel}
#define GM_Y_LAYOUT(insn) {(insn)->y_batch, (insn)->y_h, (insn)->y_w, (insn)->y_group, (insn)->y_channel}

/* The operands of a sum over windows in CONV, and in CONV_TRANSPOSE, which goes from CONV's outputs
 * to its inputs. These are initializers for a struct with the same member names on each processor
 * that has such sums. */
#define GM_CONV_OPERANDS(session, insn)                                                                               \
    .source = GM_X_LAYOUT(insn), .dest = GM_Y_LAYOUT(insn), .batch = (insn)->batch, .groups = (insn)->groups,         \
    .inputs = (insn)->in_channels, .outputs = (insn)->out_channels, .w_group = (insn)->w_group,                       \
    .w_output = (insn)->w_out_channel, .w_input = (insn)->w_in_channel, .w_h = (insn)->w_h, .w_w = (insn)->w_w,       \
    .x = gm_f32(session, (insn)->x), .w = gm_f32(session, (insn)->w), .bias = gm_f32_optional(session, (insn)->bias), \
    .y = gm_f32_out(session, (insn)->y), .relu = (insn)->activation == GM_ACTIVATION_RELU
#define GM_TRANSPOSED_OPERANDS(session, insn)                                                                         \
    .source = GM_Y_LAYOUT(insn), .dest = GM_X_LAYOUT(insn), .batch = (insn)->batch, .groups = (insn)->groups,         \
    .inputs = (insn)->out_channels, .outputs = (insn)->in_channels, .w_group = (insn)->w_group,                       \
    .w_output = (insn)->w_in_channel, .w_input = (insn)->w_out_channel, .w_h = (insn)->w_h, .w_w = (insn)->w_w,       \
    .x = gm_f32(session, (insn)->y), .w = gm_f32(session, (insn)->w), .bias = gm_f32_optional(session, (insn)->bias), \
    .y = gm_f32_out(session, (insn)->x), .accumulate = (insn)->accumulate != 0, .transposed = 1

/* Input index of output o and kernel tap k; at least the input's size if the tap is outside. */
static inline uint32_t gm_input_index(uint32_t o, uint32_t k, uint32_t stride, uint32_t dilation, uint32_t pad)
{
    return o * stride + k * dilation - pad;
}

/* Outputs [first, end) whose kernel tap k is inside an input of size `in`. */
typedef struct gm_span {
    uint32_t first, end;
} gm_span;

static inline gm_span gm_valid_outputs(uint32_t k, uint32_t stride, uint32_t dilation, uint32_t pad, uint32_t in,
                                       uint32_t out)
{
    uint32_t back = k * dilation;
    uint32_t behind = in + pad > back ? (in + pad - back - 1) / stride + 1 : 0;
    gm_span s = {back < pad ? (pad - back - 1) / stride + 1 : 0, behind < out ? behind : out};
    s.first = s.first < s.end ? s.first : s.end;
    return s;
}

#define GM_NO_OUTPUT UINT32_MAX

/* Output index whose kernel tap k is on input i, or GM_NO_OUTPUT. outputs: the
 * number of outputs. */
static inline uint32_t gm_output_index(uint32_t i, uint32_t k, uint32_t stride, uint32_t dilation, uint32_t pad,
                                       uint32_t outputs)
{
    uint32_t reach = i + pad;
    uint32_t back = k * dilation;
    if (back > reach || (reach - back) % stride != 0) {
        return GM_NO_OUTPUT;
    }
    uint32_t o = (reach - back) / stride;
    return o < outputs ? o : GM_NO_OUTPUT;
}

#endif
