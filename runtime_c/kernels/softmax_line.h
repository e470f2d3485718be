/* What softmax, log-softmax and cross entropy share: one line of `classes` elements, `stride` apart. */
#ifndef GM_SOFTMAX_LINE_H
#define GM_SOFTMAX_LINE_H

#include "../src/gm_internal.h"
#include "../src/numerics.h"

/* A NaN anywhere in the line survives: either as the maximum, or in the sum of exponentials. */
static inline float gm_line_max(const float *x, uint32_t classes, uint32_t stride)
{
    float max = x[0];
    for (uint32_t c = 1; c < classes; c++) {
        float value = x[c * stride];
        max = value > max ? value : max;
    }
    return max;
}

/* The instructions of log-softmax have the fields of softmax's, so that one loop walks the lines of both. */
typedef char gm_softmax_alike[offsetof(gm_insn_log_softmax, inner) == offsetof(gm_insn_softmax, inner) ? 1 : -1];
typedef char gm_softmax_grad_alike[offsetof(gm_insn_log_softmax_grad, inner) == offsetof(gm_insn_softmax_grad, inner)
                                       ? 1
                                       : -1];

/* y = line_of(x) for each line of x (outer, classes, inner). */
static inline int gm_softmax_lines(const gm_session *session, const gm_insn_softmax *insn,
                                   void line_of(const float *x, float *y, uint32_t classes, uint32_t stride))
{
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t line = o * insn->classes * insn->inner + i;
            line_of(x + line, y + line, insn->classes, insn->inner);
        }
    }
    return GM_OK;
}

/* dx = line_of(dy, y) for each line of y (outer, classes, inner). */
static inline int gm_softmax_grad_lines(const gm_session *session, const gm_insn_softmax_grad *insn,
                                        void line_of(const float *dy, const float *y, float *dx, uint32_t classes,
                                                     uint32_t stride))
{
    const float *dy = gm_f32(session, insn->dy);
    const float *y = gm_f32(session, insn->y);
    float *dx = gm_f32_out(session, insn->dx);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t line = o * insn->classes * insn->inner + i;
            line_of(dy + line, y + line, dx + line, insn->classes, insn->inner);
        }
    }
    return GM_OK;
}

/* y = (x - max) - log(sum over ascending c of exp(x - max)); y may be x. In log_softmax.c. */
void gm_log_softmax_line(const float *x, float *y, uint32_t classes, uint32_t stride);

#endif
