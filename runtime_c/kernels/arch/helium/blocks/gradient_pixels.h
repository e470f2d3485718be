/* Input gradients of depthwise convolutions with Helium, four adjacent channels
 * of a row of inputs. */
#ifndef GM_HELIUM_GRADIENT_PIXELS_H
#define GM_HELIUM_GRADIENT_PIXELS_H

#include "../../arm_m/blocks/finish_s16.h"
#include "tap_turns.h"

#if GM_ARCH_CONV_GRAD_X_S16 && GM_ARCH_HELIUM

/* Rows of output gradients are in a panel, and so are weights, as in
 * tap_turns.h, 8 taps at once. */
typedef struct gm_gradient_pixels {
    const int16_t *dy;                    /* the first window; advances */
    uint32_t dy_step;                     /* bytes to the next */
    const int8_t *w, *w_end;
    const int8_t *q;                      /* of the first input; advances */
    uint32_t q_step;
    int32_t least, most;                  /* bounds of the q that pass the mask */
    int16_t *dx;                          /* advances */
    uint32_t dx_step;                     /* bytes */
    uint32_t pairs;                       /* of inputs, at least 1 */
    float scale[GM_TAP_CHANNELS];         /* no product with a sum is subnormal */
    float largest[GM_TAP_CHANNELS];       /* of all values so far */
    int32_t limits[GM_TAP_CHANNELS], minus_limits[GM_TAP_CHANNELS]; /* each the same value, replicated */
} gm_gradient_pixels;

/* dx = sum scale if q passes the mask, else 0, rounded and clamped to the limits. Loads read 8 taps
 * even if a window has fewer. */
void gm_make_gradient_pixels(gm_gradient_pixels *pixels);

#endif
#endif
