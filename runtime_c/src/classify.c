/*
 * Finds the class with the highest score, and its name.
 */
#include "image.h"

/* Returns whether numbers of this type may be scores. All integers of an output share one positive
 * scale, so comparing them compares the numbers that they represent. */
static int is_score(uint32_t dtype)
{
    return dtype == GM_DTYPE_F32 || (GM_WITH_INT8 && dtype >= GM_DTYPE_I8);
}

static float score_at(const gm_view *scores, uint32_t at)
{
#if GM_WITH_INT8
    switch (scores->dtype) {
    case GM_DTYPE_I8: return ((const int8_t *)scores->data)[at];
    case GM_DTYPE_U8: return ((const uint8_t *)scores->data)[at];
    case GM_DTYPE_I16: return ((const int16_t *)scores->data)[at];
    default: break;
    }
#endif
    return ((const float *)scores->data)[at];
}

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
    if (!is_score(y.dtype) || y.rank != 2 || row >= y.dims[0]) {
        return GM_ERR_NOT_FOUND;
    }
    uint32_t first = row * y.dims[1];
    *label = 0;
    *score = score_at(&y, first);
    for (uint32_t i = 1; i < y.dims[1]; ++i) {
        float other = score_at(&y, first + i);
        if (other > *score) {
            *label = i;
            *score = other;
        }
    }
    return GM_OK;
}

GM_COLD const char *gm_class_name(const gm_session *session, uint32_t label)
{
    if (session == NULL || session->header == NULL) {
        return NULL;
    }
    const char *name = gm_section_data(session->header, GM_SECTION_NAMES);
    const char *end = name + session->header->sections[GM_SECTION_NAMES].size;
    while (name < end) { /* gm_open() has checked that the last name is terminated */
        if (*name == GM_CLASS_NAME && label-- == 0) {
            return name + 1;
        }
        while (*name++ != '\0') {
        }
    }
    return NULL;
}
