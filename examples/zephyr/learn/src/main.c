/* Learns handwritten digits from flash, and prints after each epoch how many others it reads right. */
#include <zephyr/kernel.h>

#include "digits.h"
#include "model.h"

#define EPOCHS 10

static gm_session session;
static uint8_t arena[MODEL_ARENA_BYTES] __aligned(16);

static int learn_epoch(float *loss)
{
    int error = GM_OK;
    for (uint32_t first = 0; first < DIGITS_LEARNED && error == GM_OK; first += DIGITS_BATCH) {
        error = digits_write(&session, first);
        error = error != GM_OK ? error : gm_step(&session, loss);
    }
    return error;
}

static int learn(void)
{
    int error = gm_open(&session, model_image, sizeof model_image, arena, sizeof arena);
    for (int epoch = 1; epoch <= EPOCHS && error == GM_OK; ++epoch) {
        float loss = 0.0f;
        int right = 0;
        error = learn_epoch(&loss);
        error = error != GM_OK ? error : digits_test(&session, &right);
        if (error == GM_OK) {
            printk("epoch %d: loss %.3f, %d of %d right\n", epoch, (double)loss, right, DIGITS_TESTED);
        }
    }
    return error;
}

int main(void)
{
    gm_view state;
    int error = learn();
    if (error != GM_OK) {
        printk("%s: %s\n", gm_error_text(error), gm_error_hint(error));
        return 0;
    }
    gm_state(&session, &state);
    printk("state %08x\n", gm_crc32(0, state.data, state.size));
    return 0;
}
