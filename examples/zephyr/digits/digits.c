#include "digits.h"

#include "samples.h"

int digits_write(gm_session *session, uint32_t first)
{
    static float pixels[DIGITS_BATCH][64];
    int32_t labels[DIGITS_BATCH];
    for (uint32_t row = 0; row < DIGITS_BATCH; ++row) {
        const char *digit = digits[first + row];
        labels[row] = digit[0] - '0';
        for (uint32_t i = 0; i < 64; ++i) {
            pixels[row][i] = (float)(digit[1 + i] - 'a') / 16.0f;
        }
    }
    int error = gm_write(session, GM_ROLE_INPUT, 0, pixels, sizeof pixels);
    return error != GM_OK ? error : gm_write(session, GM_ROLE_LABEL, 0, labels, sizeof labels);
}

int digits_test(gm_session *session, int *right)
{
    *right = 0;
    for (uint32_t first = DIGITS_LEARNED; first < DIGITS_LEARNED + DIGITS_TESTED; first += DIGITS_BATCH) {
        int error = digits_write(session, first);
        error = error != GM_OK ? error : gm_infer(session);
        for (uint32_t row = 0; row < DIGITS_BATCH && error == GM_OK; ++row) {
            uint32_t label;
            float score;
            error = gm_classify(session, row, &label, &score);
            *right += error == GM_OK && label == (uint32_t)(digits[first + row][0] - '0');
        }
        if (error != GM_OK) {
            return error;
        }
    }
    return GM_OK;
}
