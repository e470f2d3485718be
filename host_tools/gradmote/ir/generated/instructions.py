# Rendered from runtime_c/spec by `scons render`; do not edit.
# fmt: off
"""The instructions of runtime_c/spec/opcodes.toml as typed classes.

Each is named after its opcode. Operands and parameters are fields, in the order of the specification.
Opcodes that differ only in what they compute share a base class, named after the first of them.
"""

from __future__ import annotations

from typing import Literal

from ..instruction import Instruction, Ref


class Gemm(Instruction):
    """y[b,m,n] = act(sum over k of a[b,m,k] b[b,k,n] + bias[n]); with accumulate, the sum starts from y"""

    opcode = "GEMM"
    a: Ref
    b: Ref
    bias: Ref | None = None
    y: Ref
    batch: int
    m: int
    n: int
    k: int
    a_batch: int
    a_row: int
    a_col: int
    b_batch: int
    b_row: int
    b_col: int
    accumulate: bool
    activation: Literal['none', 'relu']


class GemmUpdate(Instruction):
    """row by row: row[n] = sum over k of a[m,k] b[k,n]; then rule updates p[m,n] with it"""

    opcode = "GEMM_UPDATE"
    a: Ref
    b: Ref
    row: Ref
    p: Ref
    slot1: Ref | None = None
    slot2: Ref | None = None
    aux: Ref | None = None
    lr: Ref
    rule: Ref
    m: int
    n: int
    k: int
    a_row: int
    a_col: int
    b_row: int
    b_col: int


class Update(Instruction):
    """rule updates p[n] with the gradient scale * g[n]"""

    opcode = "UPDATE"
    g: Ref
    p: Ref
    slot1: Ref | None = None
    slot2: Ref | None = None
    aux: Ref | None = None
    lr: Ref
    scale: Ref | None = None
    rule: Ref
    n: int


class BiasCorrection(Instruction):
    """c[i] = c[i] beta_i + (1 - beta_i), so that after t steps c[i] = 1 - beta_i^t"""

    opcode = "BIAS_CORRECTION"
    c: Ref
    beta1: float
    one_minus_beta1: float
    beta2: float
    one_minus_beta2: float


class SumSquares(Instruction):
    """y = sum of x[i]^2 over ascending i; with accumulate, the sum starts from y"""

    opcode = "SUM_SQUARES"
    x: Ref
    y: Ref
    n: int
    accumulate: bool


class ClipScale(Instruction):
    """y = scale min(1, max_norm / (scale sqrt(sum_squares) + 1e-6))"""

    opcode = "CLIP_SCALE"
    sum_squares: Ref
    scale: Ref | None = None
    y: Ref
    max_norm: float


class CheckFinite(Instruction):
    """stops the program with NOT_FINITE if any x[i] is NaN or infinite"""

    opcode = "CHECK_FINITE"
    x: Ref
    n: int


class Copy(Instruction):
    """y[i0..i5] = x[i0..i5], each side with its own strides"""

    opcode = "COPY"
    x: Ref
    y: Ref
    d0: int
    d1: int
    d2: int
    d3: int
    d4: int
    d5: int
    s0: int
    s1: int
    s2: int
    s3: int
    s4: int
    s5: int
    t0: int
    t1: int
    t2: int
    t3: int
    t4: int
    t5: int


class ReduceSum(Instruction):
    """y[k0..k3] = scale * sum over r0..r3 (row-major ascending) of x; with accumulate, added to y after scaling"""

    opcode = "REDUCE_SUM"
    x: Ref
    y: Ref
    k0: int
    k1: int
    k2: int
    k3: int
    ks0: int
    ks1: int
    ks2: int
    ks3: int
    r0: int
    r1: int
    r2: int
    r3: int
    rs0: int
    rs1: int
    rs2: int
    rs3: int
    scale: float
    accumulate: bool


class AddLike(Instruction):
    """An instruction with the fields of ADD."""

    a: Ref
    b: Ref
    y: Ref
    d0: int
    d1: int
    d2: int
    d3: int
    a0: int
    a1: int
    a2: int
    a3: int
    b0: int
    b1: int
    b2: int
    b3: int


class Add(AddLike):
    """y = a + b, broadcast by strides of 0"""

    opcode = "ADD"


class Sub(AddLike):
    """y = a - b, broadcast by strides of 0"""

    opcode = "SUB"


class Mul(AddLike):
    """y = a * b, broadcast by strides of 0"""

    opcode = "MUL"


class Div(AddLike):
    """y = a / b, broadcast by strides of 0"""

    opcode = "DIV"


class ReluLike(Instruction):
    """An instruction with the fields of RELU."""

    x: Ref
    y: Ref
    n: int


class Relu(ReluLike):
    """y = x < 0 ? 0 : x, so that NaN stays NaN"""

    opcode = "RELU"


class ReluGradLike(Instruction):
    """An instruction with the fields of RELU_GRAD."""

    dy: Ref
    y: Ref
    dx: Ref
    n: int


class ReluGrad(ReluGradLike):
    """dx = y > 0 ? dy : 0"""

    opcode = "RELU_GRAD"


class LeakyRelu(Instruction):
    """y = x < 0 ? alpha x : x"""

    opcode = "LEAKY_RELU"
    x: Ref
    y: Ref
    n: int
    alpha: float


class LeakyReluGrad(Instruction):
    """dx = x > 0 ? dy : alpha dy"""

    opcode = "LEAKY_RELU_GRAD"
    dy: Ref
    x: Ref
    dx: Ref
    n: int
    alpha: float


class Sigmoid(ReluLike):
    """y = 1 / (1 + exp(-x))"""

    opcode = "SIGMOID"


class SigmoidGrad(ReluGradLike):
    """dx = dy y (1 - y)"""

    opcode = "SIGMOID_GRAD"


class Tanh(ReluLike):
    """y = tanh(x)"""

    opcode = "TANH"


class TanhGrad(ReluGradLike):
    """dx = dy (1 - y^2)"""

    opcode = "TANH_GRAD"


class SoftmaxLike(Instruction):
    """An instruction with the fields of SOFTMAX."""

    x: Ref
    y: Ref
    outer: int
    classes: int
    inner: int


class Softmax(SoftmaxLike):
    """y[o,c,i] = exp(x[o,c,i] - max over c) / sum over c of the same"""

    opcode = "SOFTMAX"


class SoftmaxGradLike(Instruction):
    """An instruction with the fields of SOFTMAX_GRAD."""

    dy: Ref
    y: Ref
    dx: Ref
    outer: int
    classes: int
    inner: int


class SoftmaxGrad(SoftmaxGradLike):
    """dx = y (dy - sum over c of dy y)"""

    opcode = "SOFTMAX_GRAD"


class LogSoftmax(SoftmaxLike):
    """y = (x - max) - log(sum over c of exp(x - max))"""

    opcode = "LOG_SOFTMAX"


class LogSoftmaxGrad(SoftmaxGradLike):
    """dx = dy - exp(y) sum over c of dy"""

    opcode = "LOG_SOFTMAX_GRAD"


class Dropout(Instruction):
    """y[i] = random(seed, step, stream, i) < threshold ? 0 : scale x[i]; forward and backward alike"""

    opcode = "DROPOUT"
    x: Ref
    counter: Ref
    y: Ref
    n: int
    stream: int
    threshold: int
    scale: float


class SoftmaxCrossEntropy(Instruction):
    """log_prob = log_softmax(x); loss = reduce(-mask weight[label] log_prob[label]), smoothed; labels equal to ignore_index count nothing; with log_input, log_prob = x"""

    opcode = "SOFTMAX_CROSS_ENTROPY"
    x: Ref
    labels: Ref
    weight: Ref | None = None
    mask: Ref | None = None
    log_prob: Ref
    loss: Ref
    outer: int
    classes: int
    inner: int
    loss_outer: int
    loss_inner: int
    reduction: Literal['none', 'sum', 'mean']
    ignore_index: int
    smoothing: float
    log_input: bool


class SoftmaxCrossEntropyGrad(Instruction):
    """dx = dloss mask weight[label] (exp(log_prob) - onehot(label)), smoothed, divided by the total weight if reduction is mean; with log_input, without exp(log_prob)"""

    opcode = "SOFTMAX_CROSS_ENTROPY_GRAD"
    dloss: Ref
    log_prob: Ref
    labels: Ref
    weight: Ref | None = None
    mask: Ref | None = None
    dx: Ref
    outer: int
    classes: int
    inner: int
    loss_outer: int
    loss_inner: int
    reduction: Literal['none', 'sum', 'mean']
    ignore_index: int
    smoothing: float
    log_input: bool


class MseLossLike(Instruction):
    """An instruction with the fields of MSE_LOSS."""

    x: Ref
    target: Ref
    loss: Ref
    n: int
    loss_stride: bool
    scale: float


class MseLoss(MseLossLike):
    """loss = scale * sum of (x - target)^2, or one loss an element if loss_stride is 1"""

    opcode = "MSE_LOSS"


class MseLossGradLike(Instruction):
    """An instruction with the fields of MSE_LOSS_GRAD."""

    dloss: Ref
    x: Ref
    target: Ref
    dx: Ref
    n: int
    loss_stride: bool
    scale: float


class MseLossGrad(MseLossGradLike):
    """dx = dloss * scale * 2 (x - target)"""

    opcode = "MSE_LOSS_GRAD"


class L1Loss(MseLossLike):
    """loss = scale * sum of |x - target|"""

    opcode = "L1_LOSS"


class L1LossGrad(MseLossGradLike):
    """dx = dloss * scale * sign(x - target), sign(0) = 0"""

    opcode = "L1_LOSS_GRAD"


class BceWithLogitsLoss(Instruction):
    """loss = scale * sum of (1 - t) x + (1 + (pos_weight[j] - 1) t) (log(1 + exp(-|x|)) + max(-x, 0))"""

    opcode = "BCE_WITH_LOGITS_LOSS"
    x: Ref
    target: Ref
    pos_weight: Ref | None = None
    loss: Ref
    outer: int
    inner: int
    pos_stride: bool
    loss_outer: int
    loss_inner: int
    scale: float


class BceWithLogitsLossGrad(Instruction):
    """dx = dloss * scale * ((1 - t) - (1 + (pos_weight[j] - 1) t) sigmoid(-x))"""

    opcode = "BCE_WITH_LOGITS_LOSS_GRAD"
    dloss: Ref
    x: Ref
    target: Ref
    pos_weight: Ref | None = None
    dx: Ref
    outer: int
    inner: int
    pos_stride: bool
    loss_outer: int
    loss_inner: int
    scale: float


class Conv(Instruction):
    """y[b,o,p,g,m] = act(bias[g,m] + sum over kernel rows, columns and in_channels c of x w)"""

    opcode = "CONV"
    x: Ref
    w: Ref
    bias: Ref | None = None
    y: Ref
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    w_group: int
    w_out_channel: int
    w_in_channel: int
    w_h: int
    w_w: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int
    activation: Literal['none', 'relu']


class ConvTranspose(Instruction):
    """the gradient of CONV for x, and ONNX's ConvTranspose: x[b,i,j,g,c] = bias[g,c] + sum over kernel rows, columns and out_channels of y w; with accumulate, the sum starts from x"""

    opcode = "CONV_TRANSPOSE"
    y: Ref
    w: Ref
    bias: Ref | None = None
    x: Ref
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    w_group: int
    w_out_channel: int
    w_in_channel: int
    w_h: int
    w_w: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int
    accumulate: bool


class ConvGradW(Instruction):
    """y[g,m,c,k,l] = sum over batch, output rows and columns of dy x: the gradient of CONV's w; with accumulate, the sum starts from y. The strides y_batch to y_channel are of dy"""

    opcode = "CONV_GRAD_W"
    x: Ref
    dy: Ref
    y: Ref
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int
    accumulate: bool


class ConvUpdate(Instruction):
    """one output channel after another: row = the gradient of CONV's w[g,m]; then rule updates p[g,m] with it. The strides y_batch to y_channel are of dy"""

    opcode = "CONV_UPDATE"
    x: Ref
    dy: Ref
    row: Ref
    p: Ref
    slot1: Ref | None = None
    slot2: Ref | None = None
    aux: Ref | None = None
    lr: Ref
    rule: Ref
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int


class MaxPool(Instruction):
    """y[b,o,p,c] = the largest x in the window; padding never wins; NaN does. index[b,o,p,c] = its tap, row-major; with relu 255 unless y > 0"""

    opcode = "MAX_POOL"
    x: Ref
    y: Ref
    index: Ref | None = None
    batch: int
    channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_channel: int
    relu: bool


class MaxPoolGrad(Instruction):
    """dx = sum over kernel rows and columns of dy of the window that has this element there, if it is the window's first largest"""

    opcode = "MAX_POOL_GRAD"
    x: Ref
    dy: Ref
    dx: Ref
    batch: int
    channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_channel: int


class AveragePool(Instruction):
    """y[b,o,p,c] = sum of x in the window / count; count: taps inside the input, or with count_pad those inside input and padding"""

    opcode = "AVERAGE_POOL"
    x: Ref
    y: Ref
    batch: int
    channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_channel: int
    count_pad: bool
    padded_h: int
    padded_w: int


class AveragePoolGrad(Instruction):
    """dx = sum over kernel rows and columns of dy / count of the window that has this element there"""

    opcode = "AVERAGE_POOL_GRAD"
    dy: Ref
    dx: Ref
    batch: int
    channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_channel: int
    count_pad: bool
    padded_h: int
    padded_w: int


class Abs(ReluLike):
    """y = |x|"""

    opcode = "ABS"


class AbsGradLike(Instruction):
    """An instruction with the fields of ABS_GRAD."""

    dy: Ref
    x: Ref
    dx: Ref
    n: int


class AbsGrad(AbsGradLike):
    """dx = dy sign(x), sign(0) = 0"""

    opcode = "ABS_GRAD"


class Exp(ReluLike):
    """y = exp(x)"""

    opcode = "EXP"


class Log(ReluLike):
    """y = log(x)"""

    opcode = "LOG"


class Sqrt(ReluLike):
    """y = sqrt(x)"""

    opcode = "SQRT"


class Clamp(Instruction):
    """y = min(max(x, low), high)"""

    opcode = "CLAMP"
    x: Ref
    y: Ref
    n: int
    low: float
    high: float


class ClampGrad(Instruction):
    """dx = low <= x <= high ? dy : 0"""

    opcode = "CLAMP_GRAD"
    dy: Ref
    x: Ref
    dx: Ref
    n: int
    low: float
    high: float


class Elu(Instruction):
    """y = x > 0 ? scale x : alpha (exp(rate x) - 1)"""

    opcode = "ELU"
    x: Ref
    y: Ref
    n: int
    scale: float
    alpha: float
    rate: float


class EluGrad(Instruction):
    """dx = y > 0 ? scale dy : rate (y + alpha) dy"""

    opcode = "ELU_GRAD"
    dy: Ref
    y: Ref
    dx: Ref
    n: int
    scale: float
    alpha: float
    rate: float


class HardSigmoid(Instruction):
    """y = min(max(alpha x + beta, 0), 1)"""

    opcode = "HARD_SIGMOID"
    x: Ref
    y: Ref
    n: int
    alpha: float
    beta: float


class HardSigmoidGrad(Instruction):
    """dx = 0 < y < 1 ? alpha dy : 0"""

    opcode = "HARD_SIGMOID_GRAD"
    dy: Ref
    y: Ref
    dx: Ref
    n: int
    alpha: float


class HardSwish(ReluLike):
    """y = x min(max(x / 6 + 1/2, 0), 1)"""

    opcode = "HARD_SWISH"


class HardSwishGrad(AbsGradLike):
    """dx = x <= -3 ? 0 : x < 3 ? (x / 3 + 1/2) dy : dy"""

    opcode = "HARD_SWISH_GRAD"


class Softplus(ReluLike):
    """y = log(1 + exp(-|x|)) + max(x, 0)"""

    opcode = "SOFTPLUS"


class SoftplusGrad(AbsGradLike):
    """dx = dy sigmoid(x)"""

    opcode = "SOFTPLUS_GRAD"


class Softsign(ReluLike):
    """y = x / (1 + |x|)"""

    opcode = "SOFTSIGN"


class SoftsignGrad(AbsGradLike):
    """dx = dy / (1 + |x|)^2"""

    opcode = "SOFTSIGN_GRAD"


class Mish(ReluLike):
    """y = x t, t = tanh(log(1 + exp(x)))"""

    opcode = "MISH"


class MishGrad(AbsGradLike):
    """dx = dy (t + x sigmoid(x) (1 - t^2)), t as in MISH"""

    opcode = "MISH_GRAD"


class Swish(Instruction):
    """y = x sigmoid(alpha x)"""

    opcode = "SWISH"
    x: Ref
    y: Ref
    n: int
    alpha: float


class SwishGrad(Instruction):
    """dx = dy (s + alpha x s (1 - s)), s = sigmoid(alpha x)"""

    opcode = "SWISH_GRAD"
    dy: Ref
    x: Ref
    dx: Ref
    n: int
    alpha: float


class Gather(Instruction):
    """y[o,i,n] = x[o, indices[i], n]; below 0 an index counts from the end, out of range it stops with INDEX_OUT_OF_RANGE"""

    opcode = "GATHER"
    x: Ref
    indices: Ref
    y: Ref
    outer: int
    size: int
    count: int
    inner: int


class ScatterAdd(Instruction):
    """dx[o, indices[i], n] += dy[o,i,n], o, i, n ascending; indices as GATHER"""

    opcode = "SCATTER_ADD"
    dy: Ref
    indices: Ref
    dx: Ref
    outer: int
    size: int
    count: int
    inner: int


class WeightedGather(Instruction):
    """y[o,i,n] = sum over ascending t of weights[i,t] x[o, indices[i,t], n]; indices as GATHER"""

    opcode = "WEIGHTED_GATHER"
    x: Ref
    indices: Ref
    weights: Ref
    y: Ref
    outer: int
    size: int
    count: int
    taps: int
    inner: int


class WeightedScatterAdd(Instruction):
    """dx[o, indices[i,t], n] += weights[i,t] dy[o,i,n], o, i, t, n ascending; indices as GATHER"""

    opcode = "WEIGHTED_SCATTER_ADD"
    dy: Ref
    indices: Ref
    weights: Ref
    dx: Ref
    outer: int
    size: int
    count: int
    taps: int
    inner: int


class Cumsum(Instruction):
    """y[o,i,n] = sum of x[o,j,n] over j <= i, with exclusive j < i; with reverse from the other end"""

    opcode = "CUMSUM"
    x: Ref
    y: Ref
    outer: int
    size: int
    inner: int
    exclusive: bool
    reverse: bool


class ReduceMaxLike(Instruction):
    """An instruction with the fields of REDUCE_MAX."""

    x: Ref
    y: Ref
    k0: int
    k1: int
    k2: int
    k3: int
    ks0: int
    ks1: int
    ks2: int
    ks3: int
    r0: int
    r1: int
    r2: int
    r3: int
    rs0: int
    rs1: int
    rs2: int
    rs3: int


class ReduceMax(ReduceMaxLike):
    """y[k0..k3] = largest x over r0..r3; NaN if there is one"""

    opcode = "REDUCE_MAX"


class ReduceMin(ReduceMaxLike):
    """y[k0..k3] = smallest x over r0..r3; NaN if there is one"""

    opcode = "REDUCE_MIN"


class ReduceExtremumGrad(Instruction):
    """dx = x = y ? dy / (how many x over r0..r3 equal y) : 0, for the largest or the smallest y"""

    opcode = "REDUCE_EXTREMUM_GRAD"
    dy: Ref
    y: Ref
    x: Ref
    dx: Ref
    k0: int
    k1: int
    k2: int
    k3: int
    ks0: int
    ks1: int
    ks2: int
    ks3: int
    r0: int
    r1: int
    r2: int
    r3: int
    rs0: int
    rs1: int
    rs2: int
    rs3: int


class Gelu(ReluLike):
    """y = x (1 + erf(x / sqrt(2))) / 2"""

    opcode = "GELU"


class GeluGrad(AbsGradLike):
    """dx = dy ((1 + erf(x / sqrt(2))) / 2 + x exp(-x^2 / 2) / sqrt(2 pi))"""

    opcode = "GELU_GRAD"


class GeluTanh(ReluLike):
    """y = x s, s = sigmoid(u), u = sqrt(8 / pi) (x + 0.044715 x^3)"""

    opcode = "GELU_TANH"


class GeluTanhGrad(AbsGradLike):
    """dx = dy (s + x s (1 - s) du/dx), s and u as in GELU_TANH"""

    opcode = "GELU_TANH_GRAD"


class Erf(ReluLike):
    """y = erf(x)"""

    opcode = "ERF"


class Sin(ReluLike):
    """y = sin(x)"""

    opcode = "SIN"


class Cos(ReluLike):
    """y = cos(x)"""

    opcode = "COS"


class Max(AddLike):
    """y = max(a, b), broadcast by strides of 0; NaN if either is NaN"""

    opcode = "MAX"


class Min(AddLike):
    """y = min(a, b), broadcast by strides of 0; NaN if either is NaN"""

    opcode = "MIN"


class Heaviside(AddLike):
    """y = a > b ? 1 : a < b ? 0 : 1/2, broadcast by strides of 0: the slope of max(a, b) along a"""

    opcode = "HEAVISIDE"


class Prelu(AddLike):
    """y = a < 0 ? b a : a, broadcast by strides of 0"""

    opcode = "PRELU"


class PreluSlope(AddLike):
    """y = a > 0 ? 1 : b, broadcast by strides of 0: the slope of PRELU along a"""

    opcode = "PRELU_SLOPE"


class Select(Instruction):
    """y = c is not 0 ? a : b, broadcast by strides of 0"""

    opcode = "SELECT"
    c: Ref
    a: Ref
    b: Ref
    y: Ref
    d0: int
    d1: int
    d2: int
    d3: int
    c0: int
    c1: int
    c2: int
    c3: int
    a0: int
    a1: int
    a2: int
    a3: int
    b0: int
    b1: int
    b2: int
    b3: int


class Greater(AddLike):
    """y = a > b ? 1 : 0, broadcast by strides of 0"""

    opcode = "GREATER"


class GreaterOrEqual(AddLike):
    """y = a >= b ? 1 : 0, broadcast by strides of 0"""

    opcode = "GREATER_OR_EQUAL"


class Equal(AddLike):
    """y = a == b ? 1 : 0, broadcast by strides of 0"""

    opcode = "EQUAL"


class Pow(AddLike):
    """y = a^b, broadcast by strides of 0"""

    opcode = "POW"


class Standardize(Instruction):
    """y = (x - mean) inv_std over r0..r3, inv_std = 1 / sqrt(var + epsilon); mean is 0 unless centre"""

    opcode = "STANDARDIZE"
    x: Ref
    inv_std: Ref | None = None
    mean: Ref | None = None
    var: Ref | None = None
    y: Ref
    k0: int
    k1: int
    k2: int
    k3: int
    ks0: int
    ks1: int
    ks2: int
    ks3: int
    r0: int
    r1: int
    r2: int
    r3: int
    rs0: int
    rs1: int
    rs2: int
    rs3: int
    epsilon: float
    centre: bool


class StandardizeGrad(Instruction):
    """dx = inv_std (dy - mean(dy) - y mean(dy y)), means over r0..r3; without mean(dy) unless centre"""

    opcode = "STANDARDIZE_GRAD"
    dy: Ref
    y: Ref
    inv_std: Ref
    dx: Ref
    k0: int
    k1: int
    k2: int
    k3: int
    ks0: int
    ks1: int
    ks2: int
    ks3: int
    r0: int
    r1: int
    r2: int
    r3: int
    rs0: int
    rs1: int
    rs2: int
    rs3: int
    centre: bool


class LstmCells(Instruction):
    """gates in order i, o, f, c'; c[t] = f c[t-1] + i c'; h[t] = o tanh(c[t]); with coupled, f = 1 - i"""

    opcode = "LSTM_CELLS"
    z: Ref
    r: Ref
    p: Ref | None = None
    h0: Ref | None = None
    c0: Ref | None = None
    h: Ref
    c: Ref
    gates: Ref
    steps: int
    batch: int
    hidden: int
    h_step: int
    c_step: int
    reverse: bool
    coupled: bool


class LstmCellsGrad(Instruction):
    """dz, the gradient of the gates before their activations, and those of the initial states"""

    opcode = "LSTM_CELLS_GRAD"
    dy: Ref | None = None
    dyh: Ref | None = None
    dyc: Ref | None = None
    r: Ref
    p: Ref | None = None
    c: Ref
    gates: Ref
    dh0: Ref
    dc0: Ref
    dz: Ref
    steps: int
    batch: int
    hidden: int
    dy_step: int
    dy_row: int
    c_step: int
    reverse: bool
    coupled: bool


class GruCells(Instruction):
    """gates in order z, r, h'; h[t] = (1 - z) h' + z h[t-1]; part is r h[t-1], with reset_after r_h h[t-1] + bias"""

    opcode = "GRU_CELLS"
    z: Ref
    r: Ref
    bias: Ref | None = None
    h0: Ref | None = None
    h: Ref
    part: Ref
    gates: Ref
    steps: int
    batch: int
    hidden: int
    h_step: int
    part_step: int
    reverse: bool
    reset_after: bool


class GruCellsGrad(Instruction):
    """dz, the gradient of the gates before their activations, dpart, and that of the initial state"""

    opcode = "GRU_CELLS_GRAD"
    dy: Ref | None = None
    dyh: Ref | None = None
    r: Ref
    h: Ref
    part: Ref
    gates: Ref
    dh0: Ref
    dpart: Ref
    dz: Ref
    steps: int
    batch: int
    hidden: int
    dy_step: int
    dy_row: int
    h_step: int
    part_step: int
    dpart_step: int
    reverse: bool
    reset_after: bool


class RnnCells(Instruction):
    """sums = z[t] + r h[t-1]; h[t] = relu or tanh of it"""

    opcode = "RNN_CELLS"
    z: Ref
    r: Ref
    h0: Ref | None = None
    h: Ref
    sums: Ref
    steps: int
    batch: int
    hidden: int
    h_step: int
    reverse: bool
    relu: bool


class RnnCellsGrad(Instruction):
    """dz, the gradient of the sums before the activation, and that of the initial state"""

    opcode = "RNN_CELLS_GRAD"
    dy: Ref | None = None
    dyh: Ref | None = None
    r: Ref
    h: Ref
    dh0: Ref
    dz: Ref
    steps: int
    batch: int
    hidden: int
    dy_step: int
    dy_row: int
    h_step: int
    reverse: bool
    relu: bool


class ReduceProd(Instruction):
    """y[o,i] = product of x[o,c,i] over c"""

    opcode = "REDUCE_PROD"
    x: Ref
    y: Ref
    outer: int
    classes: int
    inner: int


class ReduceProdGrad(Instruction):
    """dx[o,c,i] = dy[o,i] times the product of x[o,b,i] over b != c"""

    opcode = "REDUCE_PROD_GRAD"
    dy: Ref
    x: Ref
    dx: Ref
    outer: int
    classes: int
    inner: int


class Matmul(Instruction):
    """y[i,j,m,n] = sum over k of a[i,j,m,k] b[i,j,k,n]: products over two batch dimensions, such as samples and heads"""

    opcode = "MATMUL"
    a: Ref
    b: Ref
    y: Ref
    d0: int
    d1: int
    m: int
    n: int
    k: int
    a0: int
    a1: int
    a_row: int
    a_col: int
    b0: int
    b1: int
    b_row: int
    b_col: int
    y0: int
    y1: int
    y_row: int


class MaxPoolIndexGrad(Instruction):
    """dx = sum over kernel rows and columns of dy of the window that has this element there, if its index says so"""

    opcode = "MAX_POOL_INDEX_GRAD"
    index: Ref
    dy: Ref
    dx: Ref
    batch: int
    channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_channel: int


class Mask(Instruction):
    """bit i of mask = x in low .. high or NaN, or with relu x > 0; the rest of the last byte is 0"""

    opcode = "MASK"
    x: Ref
    mask: Ref
    n: int
    low: float
    high: float
    relu: bool


class MaskGrad(Instruction):
    """dx = bit i of mask ? dy : 0"""

    opcode = "MASK_GRAD"
    dy: Ref
    mask: Ref
    dx: Ref
    n: int


class Moments(Instruction):
    """mean and variance of each channel; inv_std = 1 / sqrt(var + epsilon)"""

    opcode = "MOMENTS"
    x: Ref
    mean: Ref
    inv_std: Ref
    var: Ref | None = None
    outer: int
    channels: int
    inner: int
    epsilon: float


class Normalize(Instruction):
    """y = act((x - mean) inv_std scale + bias); without both mean and bias the gradient of x if statistics are frozen"""

    opcode = "NORMALIZE"
    x: Ref
    mean: Ref | None = None
    inv_std: Ref
    scale: Ref
    bias: Ref | None = None
    y: Ref
    outer: int
    channels: int
    inner: int
    activation: Literal['none', 'relu']


class NormalizeSums(Instruction):
    """the gradients of NORMALIZE's scale and bias: dscale = sum of dy (x - mean) inv_std, dbias = sum of dy, over outer and inner"""

    opcode = "NORMALIZE_SUMS"
    dy: Ref
    x: Ref
    mean: Ref
    inv_std: Ref
    dscale: Ref
    dbias: Ref
    outer: int
    channels: int
    inner: int


class NormalizeGrad(Instruction):
    """the gradient of NORMALIZE's x if mean and inv_std are x's own: dx = scale inv_std (dy - dbias / n - (x - mean) inv_std dscale / n), n = outer inner"""

    opcode = "NORMALIZE_GRAD"
    dy: Ref
    x: Ref
    mean: Ref
    inv_std: Ref
    scale: Ref
    dscale: Ref
    dbias: Ref
    dx: Ref
    outer: int
    channels: int
    inner: int


class SoftmaxCrossEntropyWithGradLike(Instruction):
    """An instruction with the fields of SOFTMAX_CROSS_ENTROPY_WITH_GRAD."""

    x: Ref
    labels: Ref
    weight: Ref | None = None
    mask: Ref | None = None
    dloss: Ref
    loss: Ref
    dx: Ref
    outer: int
    classes: int
    inner: int
    loss_outer: int
    loss_inner: int
    reduction: Literal['none', 'sum', 'mean']
    ignore_index: int


class SoftmaxCrossEntropyWithGrad(SoftmaxCrossEntropyWithGradLike):
    """SOFTMAX_CROSS_ENTROPY and its gradient: p = softmax(x); loss = reduce(-mask weight[label] log(p[label])), dx = dloss mask weight[label] (p - onehot(label)), divided by the total weight if reduction is mean"""

    opcode = "SOFTMAX_CROSS_ENTROPY_WITH_GRAD"


class CheckBound(Instruction):
    """stops the program with NOT_FINITE if any |x[i,j]| is not below limit, or is NaN"""

    opcode = "CHECK_BOUND"
    x: Ref
    rows: int
    n: int
    step: int
    limit: float


class Round(Instruction):
    """y = the integer nearest to x, the even one of two, or the next one down or up"""

    opcode = "ROUND"
    x: Ref
    y: Ref
    n: int
    direction: Literal['nearest', 'down', 'up']


class Sign(ReluLike):
    """y = x > 0 ? 1 : x < 0 ? -1 : x"""

    opcode = "SIGN"


class Fmod(AddLike):
    """y = a - b trunc(a / b), exactly, with the sign of a; broadcast by strides of 0"""

    opcode = "FMOD"


class Atan(ReluLike):
    """y = arctan(x)"""

    opcode = "ATAN"


class Log1P(ReluLike):
    """y = log(1 + x), x >= 0"""

    opcode = "LOG1P"


class IntToFloat(Instruction):
    """y = x, rounded to nearest"""

    opcode = "INT_TO_FLOAT"
    x: Ref
    y: Ref
    n: int


class FloatToInt(Instruction):
    """y = x without its fraction, the nearest int32 if x does not fit; NaN gives 0"""

    opcode = "FLOAT_TO_INT"
    x: Ref
    y: Ref
    n: int


class FlatIndex(Instruction):
    """y[o,i,n] = (first size + indices[o,i,n]) inner + n; first is o, with accumulate y[o,i,n]; indices as GATHER"""

    opcode = "FLAT_INDEX"
    indices: Ref
    y: Ref
    outer: int
    size: int
    count: int
    inner: int
    i_outer: int
    i_count: int
    i_inner: int
    accumulate: bool


class Scatter(Instruction):
    """y[o, indices[i], n] = x[o,i,n], or its product with x, or the larger or smaller of both; o, i, n ascending; indices as GATHER"""

    opcode = "SCATTER"
    x: Ref
    indices: Ref
    y: Ref
    outer: int
    size: int
    count: int
    inner: int
    combine: Literal['replace', 'mul', 'max', 'min']


class TopK(Instruction):
    """the largest, or smallest, of x over c, in that order, and their c; NaN comes first; of equal ones the lowest c, with last the highest"""

    opcode = "TOP_K"
    x: Ref
    values: Ref | None = None
    indices: Ref
    outer: int
    size: int
    count: int
    inner: int
    smallest: bool
    last: bool


class RandomUniform(Instruction):
    """y[i] = low + range u, u = random(seed, step, stream, i) / 2^32 cut to 24 bits"""

    opcode = "RANDOM_UNIFORM"
    counter: Ref
    y: Ref
    n: int
    stream: int
    low: float
    range: float


class ThresholdedRelu(Instruction):
    """y = x > alpha ? x : 0"""

    opcode = "THRESHOLDED_RELU"
    x: Ref
    y: Ref
    n: int
    alpha: float


class ThresholdedReluGrad(Instruction):
    """dx = x > alpha ? dy : 0"""

    opcode = "THRESHOLDED_RELU_GRAD"
    dy: Ref
    x: Ref
    dx: Ref
    n: int
    alpha: float


class Quantize(Instruction):
    """y = round(x / scale) + zero, clamped to low .. high; NaN gives low"""

    opcode = "QUANTIZE"
    x: Ref
    y: Ref
    n: int
    scale: float
    zero: int
    low: int
    high: int


class Dequantize(Instruction):
    """y = (x - zero) scale, both of its channel; zero is 0 if it is absent"""

    opcode = "DEQUANTIZE"
    x: Ref
    scale: Ref
    zero: Ref | None = None
    y: Ref
    outer: int
    channels: int
    inner: int
    x_outer: int
    x_channel: int
    x_inner: int


class ConvS8(Instruction):
    """y[b,o,p,g,m] = round(multipliers[g,m] (bias[g,m] + sum over kernel rows, columns and in_channels of (x - x_zero) (w - w_zero)) + offsets[g,m]) + y_zero, clamped to low .. high"""

    opcode = "CONV_S8"
    x: Ref
    w: Ref
    bias: Ref | None = None
    multipliers: Ref
    offsets: Ref | None = None
    y: Ref
    panel: Ref | None = None
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    w_group: int
    w_out_channel: int
    w_in_channel: int
    w_h: int
    w_w: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int
    x_zero: int
    w_zero: int
    y_zero: int
    low: int
    high: int
    panel_words: int


class CopyS8(Instruction):
    """y[i0..i5] = x[i0..i5], each side with its own strides; with a table, table[x + 128]"""

    opcode = "COPY_S8"
    x: Ref
    table: Ref | None = None
    y: Ref
    d0: int
    d1: int
    d2: int
    d3: int
    d4: int
    d5: int
    s0: int
    s1: int
    s2: int
    s3: int
    s4: int
    s5: int
    t0: int
    t1: int
    t2: int
    t3: int
    t4: int
    t5: int


class AddS8Like(Instruction):
    """An instruction with the fields of ADD_S8."""

    a: Ref
    b: Ref
    y: Ref
    d0: int
    d1: int
    d2: int
    d3: int
    a0: int
    a1: int
    a2: int
    a3: int
    b0: int
    b1: int
    b2: int
    b3: int
    a_scale: float
    a_zero: int
    b_scale: float
    b_zero: int
    y_scale: float
    y_zero: int
    low: int
    high: int


class AddS8(AddS8Like):
    """y = round(((a - a_zero) a_scale + (b - b_zero) b_scale) / y_scale) + y_zero, clamped to low .. high; broadcast by strides of 0"""

    opcode = "ADD_S8"


class MulS8(AddS8Like):
    """y = round(((a - a_zero) a_scale * (b - b_zero) b_scale) / y_scale) + y_zero, clamped to low .. high; broadcast by strides of 0"""

    opcode = "MUL_S8"


class MaxPoolS8(Instruction):
    """y[b,o,p,c] = the largest x in the window, -128 if it has no tap inside; index[b,o,p,c] = its tap, row-major, 255 if there is none"""

    opcode = "MAX_POOL_S8"
    x: Ref
    y: Ref
    index: Ref | None = None
    batch: int
    channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_channel: int


class AveragePoolS8(Instruction):
    """y[b,o,p,c] = round((sum of (x - x_zero) x_scale in the window / count) / y_scale) + y_zero, clamped to low .. high; the count as AVERAGE_POOL, the order of the sum as `order` says"""

    opcode = "AVERAGE_POOL_S8"
    x: Ref
    y: Ref
    batch: int
    channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_channel: int
    count_pad: bool
    padded_h: int
    padded_w: int
    order: Literal['rows', 'columns', 'lanes', 'pairs']
    x_scale: float
    x_zero: int
    y_scale: float
    y_zero: int
    low: int
    high: int


class ConvTransposeS8(Instruction):
    """x[b,i,j,g,c] = round(multipliers[g,c] (bias[g,c] + sum over kernel rows, columns and out_channels of (y - y_zero) (w - w_zero)) + offsets[g,c]) + x_zero, clamped to low .. high"""

    opcode = "CONV_TRANSPOSE_S8"
    y: Ref
    w: Ref
    bias: Ref | None = None
    multipliers: Ref
    offsets: Ref | None = None
    x: Ref
    panel: Ref | None = None
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    w_group: int
    w_out_channel: int
    w_in_channel: int
    w_h: int
    w_w: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int
    x_zero: int
    w_zero: int
    y_zero: int
    low: int
    high: int
    panel_words: int


class MatmulS8(Instruction):
    """y[i,j,m,n] = round(multiplier sum over k of (a[i,j,m,k] - a_zero) (b[i,j,k,n] - b_zero)) + y_zero, clamped to low .. high"""

    opcode = "MATMUL_S8"
    a: Ref
    b: Ref
    y: Ref
    panel: Ref | None = None
    d0: int
    d1: int
    m: int
    n: int
    k: int
    a0: int
    a1: int
    a_row: int
    a_col: int
    b0: int
    b1: int
    b_row: int
    b_col: int
    y0: int
    y1: int
    y_row: int
    multiplier: float
    a_zero: int
    b_zero: int
    y_zero: int
    low: int
    high: int
    panel_words: int


class QuantizeGradS16(Instruction):
    """y 2^exponent = scale[c] dy if low < q < high and the bit of mask is 1, else 0, rounded; the exponent is the least under which the largest keeps the limit. A number that is not finite stops the program with NOT_FINITE"""

    opcode = "QUANTIZE_GRAD_S16"
    dy: Ref
    q: Ref | None = None
    mask: Ref | None = None
    scale: Ref | None = None
    y: Ref
    exponent: Ref
    outer: int
    channels: int
    inner: int
    low: int
    high: int
    limit: int


class ConvGradXS16(Instruction):
    """the gradient of CONV_S8 for x: dx[b,i,j,g,c] 2^exponent = scale[g,c] (2^dy_exponent sum over kernel rows, columns and out_channels of dy (w - w_zero) + 2^addend_exponent addend) if low < q < high and the bit of mask is 1, else 0, rounded; gain becomes that of the next step"""

    opcode = "CONV_GRAD_X_S16"
    dy: Ref
    dy_exponent: Ref
    w: Ref
    addend: Ref | None = None
    addend_exponent: Ref | None = None
    q: Ref | None = None
    mask: Ref | None = None
    scale: Ref | None = None
    dx: Ref
    exponent: Ref
    gain: Ref
    panel: Ref | None = None
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    w_group: int
    w_out_channel: int
    w_in_channel: int
    w_h: int
    w_w: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int
    w_zero: int
    low: int
    high: int
    limit: int
    panel_words: int


class ConvGradWS16(Instruction):
    """the gradient of CONV_S8 for w: y[g,m,c,k,l] = factor[g,m] 2^dy_exponent sum over batch, output rows and columns of dy (x - x_zero); with accumulate, added to y. The strides y_batch to y_channel are of dy. dy_limit is the limit of dy"""

    opcode = "CONV_GRAD_W_S16"
    x: Ref
    dy: Ref
    dy_exponent: Ref
    factor: Ref
    y: Ref
    panel: Ref | None = None
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int
    x_zero: int
    dy_limit: int
    accumulate: bool
    panel_words: int


class SumS16(Instruction):
    """y[c] = 2^x_exponent sum of x over outer and inner, divided by divisor[c]; with accumulate, added to y"""

    opcode = "SUM_S16"
    x: Ref
    x_exponent: Ref
    divisor: Ref | None = None
    y: Ref
    outer: int
    channels: int
    inner: int
    x_outer: int
    x_channel: int
    x_inner: int
    accumulate: bool


class AddS16(Instruction):
    """y 2^exponent = scale (2^a_exponent a + 2^b_exponent b) if low < q < high and the bit of mask is 1, else 0, rounded; the exponent is the least under which the largest keeps the limit. a, b and scale are broadcast by strides of 0"""

    opcode = "ADD_S16"
    a: Ref
    a_exponent: Ref
    b: Ref | None = None
    b_exponent: Ref | None = None
    q: Ref | None = None
    mask: Ref | None = None
    scale: Ref | None = None
    y: Ref
    exponent: Ref
    d0: int
    d1: int
    d2: int
    d3: int
    a0: int
    a1: int
    a2: int
    a3: int
    b0: int
    b1: int
    b2: int
    b3: int
    s0: int
    s1: int
    s2: int
    s3: int
    low: int
    high: int
    limit: int


class CopyS16(Instruction):
    """y[i0..i5] = x[i0..i5], each side with its own strides"""

    opcode = "COPY_S16"
    x: Ref
    y: Ref
    d0: int
    d1: int
    d2: int
    d3: int
    d4: int
    d5: int
    s0: int
    s1: int
    s2: int
    s3: int
    s4: int
    s5: int
    t0: int
    t1: int
    t2: int
    t3: int
    t4: int
    t5: int


class DequantizeS16(Instruction):
    """y = 2^x_exponent x"""

    opcode = "DEQUANTIZE_S16"
    x: Ref
    x_exponent: Ref
    y: Ref
    n: int


class SoftmaxCrossEntropyPlain(SoftmaxCrossEntropyWithGradLike):
    """SOFTMAX_CROSS_ENTROPY_WITH_GRAD, with the bits of the strict profile in both profiles"""

    opcode = "SOFTMAX_CROSS_ENTROPY_PLAIN"


class MaxPoolGradS16(Instruction):
    """dx 2^exponent = 2^dy_exponent sum over kernel rows and columns of dy of the window that has this element there, if its index says so; the exponent is the least under which the largest keeps the limit"""

    opcode = "MAX_POOL_GRAD_S16"
    index: Ref
    dy: Ref
    dy_exponent: Ref
    dx: Ref
    exponent: Ref
    batch: int
    channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_channel: int
    limit: int


class Loop(Instruction):
    """the next `body` words of the program run `iterations` times; the executor does it"""

    opcode = "LOOP"
    body: int
    iterations: int


class Guard(Instruction):
    """the next instruction runs in iterations first, first + period, .., count times, each time with three of its operands moved on by their steps, in bytes; the executor does it"""

    opcode = "GUARD"
    first: int
    count: int
    period: int
    operand_a: int
    step_a: int
    operand_b: int
    step_b: int
    operand_c: int
    step_c: int


class Shift(Instruction):
    """moves bytes by .. n - 1 of x to its start, in place"""

    opcode = "SHIFT"
    x: Ref
    n: int
    by: int


class QuantizeGrad(Instruction):
    """dx = dy scale if low < q < high and the bit of mask is 1, else 0, with the scale of its channel, or 1 if that is absent"""

    opcode = "QUANTIZE_GRAD"
    dy: Ref
    q: Ref | None = None
    mask: Ref | None = None
    scale: Ref | None = None
    dx: Ref
    outer: int
    channels: int
    inner: int
    low: int
    high: int


class ConvGradXS8(Instruction):
    """x[b,i,j,g,c] = sum over kernel rows, columns and out_channels of y (w - w_zero): the gradient of CONV_S8 for x, from y in float32; with accumulate, the sum starts from x"""

    opcode = "CONV_GRAD_X_S8"
    y: Ref
    w: Ref
    x: Ref
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    w_group: int
    w_out_channel: int
    w_in_channel: int
    w_h: int
    w_w: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int
    w_zero: int
    accumulate: bool


class ConvGradWS8(Instruction):
    """y[g,m,c,k,l] = factor[g,m] times the sum over batch, output rows and columns of dy (x - x_zero): the gradient of CONV_S8's w; with accumulate, it is added to y. The strides y_batch to y_channel are of dy"""

    opcode = "CONV_GRAD_W_S8"
    x: Ref
    dy: Ref
    factor: Ref
    y: Ref
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int
    x_zero: int
    accumulate: bool


class ConvUpdateS8(Instruction):
    """one output channel after another: row = the gradient that CONV_GRAD_W_S8 makes of w[g,m]; then rule updates p[g,m] with it as UPDATE_S8 does, or with p_bytes 2 as UPDATE_S16 does"""

    opcode = "CONV_UPDATE_S8"
    x: Ref
    dy: Ref
    row: Ref
    p: Ref
    slot1: Ref | None = None
    slot2: Ref | None = None
    aux: Ref | None = None
    lr: Ref
    rule: Ref
    factor: Ref
    units: Ref
    counter: Ref
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int
    x_zero: int
    p_bytes: int
    stream: int
    limit: float
    zero: int
    low: int
    high: int


class UpdateS8(Instruction):
    """rule updates p; its element i stands for (p - zero) units of its channel, with the gradient scale g; the step is rounded up or down at random, by its fraction, and p stays in low to high"""

    opcode = "UPDATE_S8"
    g: Ref
    p: Ref
    slot1: Ref | None = None
    slot2: Ref | None = None
    aux: Ref | None = None
    lr: Ref
    scale: Ref | None = None
    rule: Ref
    units: Ref
    counter: Ref
    outer: int
    channels: int
    inner: int
    stream: int
    limit: float
    zero: int
    low: int
    high: int


class UpdateS16(Instruction):
    """the same of 16 bits: a master whose high byte is the weight, so that zero is 256 times the weight's and 128"""

    opcode = "UPDATE_S16"
    g: Ref
    p: Ref
    slot1: Ref | None = None
    slot2: Ref | None = None
    aux: Ref | None = None
    lr: Ref
    scale: Ref | None = None
    rule: Ref
    units: Ref
    counter: Ref
    outer: int
    channels: int
    inner: int
    stream: int
    limit: float
    zero: int
    low: int
    high: int


class UpdateS32(Instruction):
    """the same of 32 bits, for biases"""

    opcode = "UPDATE_S32"
    g: Ref
    p: Ref
    slot1: Ref | None = None
    slot2: Ref | None = None
    aux: Ref | None = None
    lr: Ref
    scale: Ref | None = None
    rule: Ref
    units: Ref
    counter: Ref
    outer: int
    channels: int
    inner: int
    stream: int
    limit: float
    zero: int
    low: int
    high: int


class ConvUpdateS16(Instruction):
    """one output channel after another: row = the gradient that CONV_GRAD_W_S16 makes of w[g,m]; then rule updates p[g,m] with it as UPDATE_S8 does, or with p_bytes 2 as UPDATE_S16 does"""

    opcode = "CONV_UPDATE_S16"
    x: Ref
    dy: Ref
    row: Ref
    p: Ref
    slot1: Ref | None = None
    slot2: Ref | None = None
    aux: Ref | None = None
    lr: Ref
    rule: Ref
    factor: Ref
    units: Ref
    counter: Ref
    dy_exponent: Ref
    panel: Ref | None = None
    batch: int
    groups: int
    in_channels: int
    out_channels: int
    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int
    x_batch: int
    x_h: int
    x_w: int
    x_group: int
    x_channel: int
    y_batch: int
    y_h: int
    y_w: int
    y_group: int
    y_channel: int
    x_zero: int
    dy_limit: int
    p_bytes: int
    stream: int
    limit: float
    zero: int
    low: int
    high: int
    panel_words: int


class MaskS8(Instruction):
    """bit i of mask = low < q < high; the rest of the last byte is 0"""

    opcode = "MASK_S8"
    q: Ref
    mask: Ref
    n: int
    low: int
    high: int


class FloatToBf16(Instruction):
    """y = the bits of the bfloat16 nearest to x, ties to even"""

    opcode = "FLOAT_TO_BF16"
    x: Ref
    y: Ref
    n: int


class Bf16ToFloat(Instruction):
    """y = the float32 whose upper 16 bits are x; the others are 0"""

    opcode = "BF16_TO_FLOAT"
    x: Ref
    y: Ref
    n: int


class Attention(Instruction):
    """y[i,j,m,c] = sum over n of p[i,j,m,n] v[i,j,n,c], with p = softmax over n of scale (sum over c of q[i,j,m,c] k[i,j,n,c]) + attn_mask[i,j,m,n]; with divides, the sum is divided by scale; with fill, a score is fill[0] if attn_mask is not 0, and nothing is added; `rows` queries at a time"""

    opcode = "ATTENTION"
    q: Ref
    k: Ref
    v: Ref
    scale: Ref | None = None
    attn_mask: Ref | None = None
    fill: Ref | None = None
    block: Ref
    y: Ref
    samples: int
    heads: int
    queries: int
    keys: int
    depth: int
    rows: int
    divides: bool
    q0: int
    q1: int
    q_row: int
    k0: int
    k1: int
    k_row: int
    k_col: int
    v0: int
    v1: int
    v_row: int
    mask0: int
    mask1: int
    mask_row: int
    y0: int
    y1: int
    y_row: int


class AttentionGrad(Instruction):
    """the gradients of ATTENTION: dv = p^T dy, ds = scale (p (dp - sum over n of dp p)) with dp = dy v^T, dq = ds k, dk = ds^T q, also by columns; with fill, fill[1] replaces ds if attn_mask is not 0, before scale; p is computed again"""

    opcode = "ATTENTION_GRAD"
    dy: Ref
    q: Ref
    k: Ref
    v: Ref
    scale: Ref | None = None
    attn_mask: Ref | None = None
    fill: Ref | None = None
    block: Ref
    dq: Ref | None = None
    dk: Ref | None = None
    dk_columns: Ref | None = None
    dv: Ref | None = None
    samples: int
    heads: int
    queries: int
    keys: int
    depth: int
    rows: int
    divides: bool
    dy0: int
    dy1: int
    dy_row: int
    q0: int
    q1: int
    q_row: int
    k0: int
    k1: int
    k_row: int
    k_col: int
    v0: int
    v1: int
    v_row: int
    mask0: int
    mask1: int
    mask_row: int
    dq0: int
    dq1: int
    dq_row: int
    dk0: int
    dk1: int
    dk_row: int
    dv0: int
    dv1: int
    dv_row: int


class Sum(Instruction):
    """y = scale * sum of x"""

    opcode = "SUM"
    x: Ref
    y: Ref
    n: int
    scale: float


class SumGrad(Instruction):
    """dx = scale * dy for each element"""

    opcode = "SUM_GRAD"
    dy: Ref
    dx: Ref
    n: int
    scale: float

#: opcode -> its class
INSTRUCTIONS: dict[str, type[Instruction]] = {i.opcode: i for i in (
    Gemm,
    GemmUpdate,
    Update,
    BiasCorrection,
    SumSquares,
    ClipScale,
    CheckFinite,
    Copy,
    ReduceSum,
    Add,
    Sub,
    Mul,
    Div,
    Relu,
    ReluGrad,
    LeakyRelu,
    LeakyReluGrad,
    Sigmoid,
    SigmoidGrad,
    Tanh,
    TanhGrad,
    Softmax,
    SoftmaxGrad,
    LogSoftmax,
    LogSoftmaxGrad,
    Dropout,
    SoftmaxCrossEntropy,
    SoftmaxCrossEntropyGrad,
    MseLoss,
    MseLossGrad,
    L1Loss,
    L1LossGrad,
    BceWithLogitsLoss,
    BceWithLogitsLossGrad,
    Conv,
    ConvTranspose,
    ConvGradW,
    ConvUpdate,
    MaxPool,
    MaxPoolGrad,
    AveragePool,
    AveragePoolGrad,
    Abs,
    AbsGrad,
    Exp,
    Log,
    Sqrt,
    Clamp,
    ClampGrad,
    Elu,
    EluGrad,
    HardSigmoid,
    HardSigmoidGrad,
    HardSwish,
    HardSwishGrad,
    Softplus,
    SoftplusGrad,
    Softsign,
    SoftsignGrad,
    Mish,
    MishGrad,
    Swish,
    SwishGrad,
    Gather,
    ScatterAdd,
    WeightedGather,
    WeightedScatterAdd,
    Cumsum,
    ReduceMax,
    ReduceMin,
    ReduceExtremumGrad,
    Gelu,
    GeluGrad,
    GeluTanh,
    GeluTanhGrad,
    Erf,
    Sin,
    Cos,
    Max,
    Min,
    Heaviside,
    Prelu,
    PreluSlope,
    Select,
    Greater,
    GreaterOrEqual,
    Equal,
    Pow,
    Standardize,
    StandardizeGrad,
    LstmCells,
    LstmCellsGrad,
    GruCells,
    GruCellsGrad,
    RnnCells,
    RnnCellsGrad,
    ReduceProd,
    ReduceProdGrad,
    Matmul,
    MaxPoolIndexGrad,
    Mask,
    MaskGrad,
    Moments,
    Normalize,
    NormalizeSums,
    NormalizeGrad,
    SoftmaxCrossEntropyWithGrad,
    CheckBound,
    Round,
    Sign,
    Fmod,
    Atan,
    Log1P,
    IntToFloat,
    FloatToInt,
    FlatIndex,
    Scatter,
    TopK,
    RandomUniform,
    ThresholdedRelu,
    ThresholdedReluGrad,
    Quantize,
    Dequantize,
    ConvS8,
    CopyS8,
    AddS8,
    MulS8,
    MaxPoolS8,
    AveragePoolS8,
    ConvTransposeS8,
    MatmulS8,
    QuantizeGradS16,
    ConvGradXS16,
    ConvGradWS16,
    SumS16,
    AddS16,
    CopyS16,
    DequantizeS16,
    SoftmaxCrossEntropyPlain,
    MaxPoolGradS16,
    Loop,
    Guard,
    Shift,
    QuantizeGrad,
    ConvGradXS8,
    ConvGradWS8,
    ConvUpdateS8,
    UpdateS8,
    UpdateS16,
    UpdateS32,
    ConvUpdateS16,
    MaskS8,
    FloatToBf16,
    Bf16ToFloat,
    Attention,
    AttentionGrad,
    Sum,
    SumGrad,
)}
