/*
 * Finds the class that the model's outputs name.
 */
#include "image.h"

int gm_classify(const gm_session *session, uint32_t row, uint32_t *label, float *score)
{
    gm_view y;
    if (label == NULL || score == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    int status = gm_tensor_view(session, GM_PROGRAM_INFER, GM_ROLE_OUTPUT, 0, &y);
    if (status != GM_OK) {
        return status;
    }
    if (y.dtype != GM_DTYPE_F32 || y.rank != 2 || row >= y.dims[0]) {
        return GM_ERR_NOT_FOUND;
    }
    const float *scores = (const float *)y.data + row * y.dims[1];
    *label = 0;
    for (uint32_t i = 1; i < y.dims[1]; ++i) {
        *label = scores[i] > scores[*label] ? i : *label;
    }
    *score = scores[*label];
    return GM_OK;
}
