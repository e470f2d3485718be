/* EXP: y = exp(x). */
#include "elementwise.h"

#if GM_WITH_EXP
GM_MAP_KERNEL(exp, gm_exp(x))
#endif
