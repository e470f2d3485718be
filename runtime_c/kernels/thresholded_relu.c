#include "../generated/instructions/thresholded_relu.h"
#include "../generated/instructions/thresholded_relu_grad.h"
#include "elementwise.h"

#if GM_WITH_THRESHOLDED_RELU
GM_MAP_KERNEL(thresholded_relu, x <= insn.alpha ? 0.0f : x)
#endif

#if GM_WITH_THRESHOLDED_RELU_GRAD
GM_MAP_GRAD_KERNEL(thresholded_relu_grad, x, x <= insn.alpha ? 0.0f : dy)
#endif
