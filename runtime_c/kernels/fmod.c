#include "../src/numerics.h"
#include "broadcast.h"

#if GM_WITH_FMOD
GM_BROADCAST_EXPRESSION_KERNEL(fmod, gm_fmod(a, b))
#endif
