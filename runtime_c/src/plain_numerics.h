/* Elementary functions that give the strict profile's bits in both profiles. */
#ifndef GM_PLAIN_NUMERICS_H
#define GM_PLAIN_NUMERICS_H

#include "numerics.h"

#if GM_FUSED
float gm_plain_exp(float x);
float gm_plain_log(float x);
#else
#define gm_plain_exp gm_exp
#define gm_plain_log gm_log
#endif

#endif
