/* The larger and the smaller of two operands, and their slope; broadcast by strides of 0. */
#include "../generated/instructions/heaviside.h"
#include "../generated/instructions/max.h"
#include "../generated/instructions/min.h"
#include "broadcast.h"

/* gm_kernel_max: y = max(a, b); NaN if either is NaN. */
#if GM_WITH_MAX
GM_BROADCAST_EXPRESSION_KERNEL(max, a > b || a != a ? a : b)
#endif

/* gm_kernel_min: y = min(a, b); NaN if either is NaN. */
#if GM_WITH_MIN
GM_BROADCAST_EXPRESSION_KERNEL(min, a < b || a != a ? a : b)
#endif

/* gm_kernel_heaviside: y = a > b ? 1 : a < b ? 0 : 1/2, the slope of max(a, b) along a. */
#if GM_WITH_HEAVISIDE
GM_BROADCAST_EXPRESSION_KERNEL(heaviside, a > b ? 1.0f : a < b ? 0.0f : 0.5f)
#endif
