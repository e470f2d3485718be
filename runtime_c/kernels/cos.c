/* COS: y = cos(x). */
#include "elementwise.h"

#if GM_WITH_COS
GM_MAP_KERNEL(cos, gm_cos(x))
#endif
