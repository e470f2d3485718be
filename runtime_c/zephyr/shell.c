#include "gradmote_shell.h"

#include <zephyr/shell/shell.h>

static const struct gradmote_shell *const app = &gradmote_shell;

static int info(const struct shell *sh)
{
    const gm_control *control = gm_control_view(app->session);
    if (control == NULL) {
        return GM_ERR_INVALID_ARGUMENT; /* not open yet */
    }
    shell_print(sh, "%u steps, %u refused, learning rate %g; a checkpoint has %u bytes", control->optimizer_steps,
                control->skipped_steps, (double)control->learning_rate, gm_checkpoint_size(app->session));
    return GM_OK;
}

static int step(const struct shell *sh)
{
    float loss;
    int error = app->write_next(app->session, GM_PROGRAM_STEP);
    error = error != GM_OK ? error : gm_step(app->session, &loss);
    if (error == GM_OK) {
        shell_print(sh, "step %u: loss %g", gm_control_view(app->session)->optimizer_steps, (double)loss);
    }
    return error;
}

static int infer(const struct shell *sh)
{
    uint32_t row = 0, label;
    float score;
    int error = app->write_next(app->session, GM_PROGRAM_INFER);
    error = error != GM_OK ? error : gm_infer(app->session);
    for (; error == GM_OK && (error = gm_classify(app->session, row, &label, &score)) == GM_OK; ++row) {
        shell_print(sh, "row %u: class %u, score %g", row, label, (double)score);
    }
    return error == GM_ERR_NOT_FOUND && row > 0 ? GM_OK : error; /* past the last row */
}

static int save(const struct shell *sh)
{
    int error = app->save(app->session);
    return error != GM_OK ? error : info(sh);
}

static int load(const struct shell *sh)
{
    int error = app->load(app->session);
    return error != GM_OK ? error : info(sh);
}

/* Does a command's work, or does it argv[1] times. The lock is free in between. */
static int run(const struct shell *sh, size_t argc, char **argv, int (*work)(const struct shell *sh))
{
    int error = 0;
    unsigned long n = argc > 1 ? shell_strtoul(argv[1], 10, &error) : 1;
    if (error != 0) {
        shell_error(sh, "%s is not a number", argv[1]);
        return error;
    }
    for (; n > 0 && error == GM_OK; --n) {
        k_mutex_lock(app->lock, K_FOREVER);
        error = work(sh);
        k_mutex_unlock(app->lock);
    }
    if (error != GM_OK) {
        shell_error(sh, "%s: %s", gm_error_text(error), gm_error_hint(error));
    }
    return error;
}

#define COMMAND(work, optional, help)                                       \
    static int cmd_##work(const struct shell *sh, size_t argc, char **argv) \
    {                                                                       \
        return run(sh, argc, argv, work);                                   \
    }                                                                       \
    SHELL_SUBCMD_ADD((gradmote), work, NULL, help, cmd_##work, 1, optional)
COMMAND(info, 0, "Steps, learning rate and size");
COMMAND(step, 1, "[N]: Train N steps");
COMMAND(infer, 1, "[N]: Classify N batches");
COMMAND(save, 0, "Keep a checkpoint");
COMMAND(load, 0, "Go back to it");
SHELL_SUBCMD_SET_CREATE(commands, (gradmote));
SHELL_CMD_REGISTER(gradmote, &commands, "Trains a model", NULL);
