/* Learns digits, an epoch at each start, and keeps what it learned through resets. The commands `gradmote` of the shell
 * work on the same session. */
#include <gradmote_shell.h>
#include <zephyr/kernel.h>

#include "digits.h"
#include "model.h"
#include "slots.h"

static gm_session session;
static uint8_t arena[MODEL_ARENA_BYTES] __aligned(16);
static K_MUTEX_DEFINE(lock); /* whoever uses the session holds it: this thread, or the shell's */

static int write_next(gm_session *own, uint32_t program)
{
    static uint32_t learned, tested;
    uint32_t *next = program == GM_PROGRAM_STEP ? &learned : &tested;
    uint32_t count = program == GM_PROGRAM_STEP ? DIGITS_LEARNED : DIGITS_TESTED;
    uint32_t first = *next + (program == GM_PROGRAM_STEP ? 0 : DIGITS_LEARNED);
    *next = (*next + DIGITS_BATCH) % count;
    return digits_write(own, first);
}

const struct gradmote_shell gradmote_shell = {&session, &lock, write_next, slots_save, slots_load};

static int learn_step(void)
{
    k_mutex_lock(&lock, K_FOREVER);
    int error = write_next(&session, GM_PROGRAM_STEP);
    error = error != GM_OK ? error : gm_step(&session, NULL);
    k_mutex_unlock(&lock);
    return error;
}

static int keep(void)
{
    int right = 0;
    k_mutex_lock(&lock, K_FOREVER);
    int error = slots_save(&session);
    error = error != GM_OK ? error : digits_test(&session, &right);
    if (error == GM_OK) {
        printk("kept after %u steps: %d of %d right\n", gm_control_view(&session)->optimizer_steps, right,
               DIGITS_TESTED);
    }
    k_mutex_unlock(&lock);
    return error;
}

static int start(void)
{
    int error = gm_open(&session, model_image, sizeof model_image, arena, sizeof arena);
    if (error != GM_OK) {
        return error;
    }
    error = slots_load(&session);
    if (error != GM_OK) {
        printk("no checkpoint: %s\n", gm_error_text(error));
        return GM_OK;
    }
    printk("continues after %u steps\n", gm_control_view(&session)->optimizer_steps);
    return GM_OK;
}

int main(void)
{
    k_mutex_lock(&lock, K_FOREVER);
    int error = start();
    k_mutex_unlock(&lock);
    for (int step = 0; step < DIGITS_LEARNED / DIGITS_BATCH && error == GM_OK; ++step) {
        error = learn_step();
    }
    error = error != GM_OK ? error : keep();
    if (error != GM_OK) {
        printk("%s: %s\n", gm_error_text(error), gm_error_hint(error));
    }
    return 0;
}
