/* Arithmetic of two operands, broadcast by strides of 0. */
#include "../generated/instructions/add.h"
#include "../generated/instructions/div.h"
#include "../generated/instructions/fmod.h"
#include "../generated/instructions/mul.h"
#include "../generated/instructions/sub.h"
#include "../src/numerics.h"
#include "broadcast.h"

/* gm_kernel_add: y = a + b. */
#if GM_WITH_ADD
GM_BROADCAST_KERNEL(add, +)
#endif

/* gm_kernel_sub: y = a - b. */
#if GM_WITH_SUB
GM_BROADCAST_KERNEL(sub, -)
#endif

/* gm_kernel_mul: y = a * b. */
#if GM_WITH_MUL
GM_BROADCAST_KERNEL(mul, *)
#endif

/* gm_kernel_div: y = a / b. */
#if GM_WITH_DIV
GM_BROADCAST_KERNEL(div, /)
#endif

/* gm_kernel_fmod: y = a - b trunc(a / b), exactly, with the sign of a. */
#if GM_WITH_FMOD
GM_BROADCAST_EXPRESSION_KERNEL(fmod, gm_fmod(a, b))
#endif
