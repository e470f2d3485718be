/* Helpers of the kernels that make 16-bit gradients. */
#include "../generated/instructions/add_s16.h"
#include "../generated/instructions/conv_grad_x_s16.h"
#include "../generated/instructions/max_pool_grad_s16.h"
#include "../generated/instructions/quantize_grad_s16.h"
#include "gradient_s16.h"

#if GM_WITH_QUANTIZE_GRAD_S16 || GM_WITH_CONV_GRAD_X_S16 || GM_WITH_ADD_S16 || GM_WITH_MAX_POOL_GRAD_S16

/* Returns n, 1 to 15, for the largest 2^n - 1 up to the limit. */
static int32_t bits_of_limit(int32_t limit)
{
    int32_t bits = 1;
    while (bits < 15 && (2 << bits) - 1 <= limit) {
        bits++;
    }
    return bits;
}

int32_t gm_choose_exponent(gm_gradient_s16 *made, int32_t magnitude, int32_t room, int32_t limit)
{
    int32_t exponent = gm_bounded(magnitude + 1 + room - bits_of_limit(limit), GM_LEAST_EXPONENT, GM_MOST_EXPONENT);
    *made = (gm_gradient_s16){gm_power_of_two(-exponent), (float)gm_bounded(limit, 1, INT16_MAX), 0};
    return exponent;
}

void gm_write_exponent(const gm_session *session, uint32_t operand, int32_t exponent, const gm_gradient_s16 *made)
{
    int32_t *words = gm_i32_out(session, operand);
    words[0] = exponent;
    words[1] = gm_magnitude_of(made->largest);
}

#endif
