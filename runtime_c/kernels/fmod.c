/* FMOD: y = a - b trunc(a / b), exactly, with the sign of a; broadcast by strides of 0. */
#include "../generated/instructions/fmod.h"
#include "../src/numerics.h"
#include "broadcast.h"

#if GM_WITH_FMOD
GM_BROADCAST_EXPRESSION_KERNEL(fmod, gm_fmod(a, b))
#endif
