#include "console/commands.h"

#include <string.h>

#include "application.h"
#include "board.h"
#include "console/reports.h"
#include "console/text.h"
#include "console/typed_export.h"
#include "storage/slots.h"
#include "training/federated.h"

/* Returns 0, COMMAND_RUNS, or an error to print. */
typedef int (*command)(device *d, const char *argument);

#define COMMAND_RUNS 1

void commands_prompt(void)
{
    text_put("> ");
}

/* Records that the console user is waiting for this program, unless it failed to start. */
static int started(device *d, int error)
{
    if (error) {
        return error;
    }
    d->requester = REQUESTER_PERSON;
    return COMMAND_RUNS;
}

static int start(device *d, uint32_t program)
{
    return started(d, d->run.active ? GM_ERR_BUSY : run_begin(&d->run, &d->model, program));
}

/* Starts a step of `train`. If the image keeps gradients, they are reset for each step. */
static int start_training(device *d)
{
    uint32_t program = model_training_program(&d->model);
    (void)gm_lazy_reset_grad(&d->model.session);
    if (d->run.active || !d->console.replays) {
        return start(d, program);
    }
    return started(d, run_begin_replay(&d->run, &d->model, program));
}

static int help(device *d, const char *argument)
{
    (void)d;
    (void)argument;
    report_help();
    return 0;
}

static int info(device *d, const char *argument)
{
    (void)argument;
    report_info(d);
    return 0;
}

static int mem(device *d, const char *argument)
{
    (void)argument;
    report_mem(d);
    return 0;
}

static int lr(device *d, const char *argument)
{
    float rate;
    if (d->model.status) {
        return d->model.status;
    }
    if (*argument) {
        int error =
            text_parse_f32(argument, &rate) ? gm_set_learning_rate(&d->model.session, rate) : CONSOLE_ERR_BAD_ARGUMENT;
        if (error) {
            return error;
        }
    }
    text_f32(gm_learning_rate(&d->model.session));
    text_line("");
    return 0;
}

static int holds_samples(const model *m)
{
    gm_store_info info;
    return teach_view(m, &info) == 0 && info.kept != 0;
}

static int train(device *d, const char *argument)
{
    uint32_t steps = 1;
    if (strcmp(argument, "on") == 0 || strcmp(argument, "off") == 0) {
        return teach_set_idle(&d->teach, &d->model, argument[1] == 'n');
    }
    if (*argument && (!text_parse_u32(argument, &steps) || steps == 0)) {
        return CONSOLE_ERR_BAD_ARGUMENT;
    }
    if (d->run.active) {
        return GM_ERR_BUSY;
    }
    d->console.steps_left = steps;
    d->console.skipped = d->run.skips = 0;
    d->console.replays = holds_samples(&d->model);
    return start_training(d);
}

static int eval(device *d, const char *argument)
{
    (void)argument;
    return start(d, GM_PROGRAM_EVAL);
}

static int infer(device *d, const char *argument)
{
    (void)argument;
    return start(d, GM_PROGRAM_INFER);
}

/* Reads the class that a store command's argument names. */
static int of_class(const device *d, const char *argument, gm_store_class *own, uint32_t *label)
{
    gm_store_info info;
    int error = teach_view(&d->model, &info);
    if (error == 0 && !text_parse_u32(argument, label)) {
        error = CONSOLE_ERR_BAD_ARGUMENT;
    }
    return error ? error : gm_store_class_view(&d->model.session, *label, own);
}

static int learn(device *d, const char *argument)
{
    gm_store_class own;
    uint32_t label;
    int error = of_class(d, argument, &own, &label);
    if (error == 0) {
        error = teach_learn(&d->model, label);
    }
    if (error == 0) {
        error = gm_store_class_view(&d->model.session, label, &own);
        report_class(label, &own);
    }
    return error;
}

static int forget(device *d, const char *argument)
{
    gm_store_class own;
    uint32_t label;
    int error = of_class(d, argument, &own, &label);
    if (error == 0) {
        error = gm_forget(&d->model.session, label);
    }
    if (error == 0) {
        text_u32(own.kept);
        text_line(" samples dropped");
    }
    return error;
}

/* Begins the next batch of a `score`: of its class, then of the classes after it, until none is
 * left. */
static int go_on_scoring(device *d)
{
    do {
        int result = teach_next_batch(&d->teach, &d->run, &d->model);
        if (result == TEACH_RUNS) {
            return started(d, 0);
        }
        if (result < 0) {
            d->console.scores = 0;
            return result;
        }
        report_score(&d->teach);
        d->console.kept += d->teach.kept;
        d->console.right += d->teach.right;
    } while (teach_score(&d->teach, &d->model, d->teach.label + 1) == 0);
    d->console.scores = 0;
    report_total(d->console.kept, d->console.right);
    return 0;
}

static int score(device *d, const char *argument)
{
    gm_store_info info;
    (void)argument;
    int error = d->run.active ? GM_ERR_BUSY : teach_view(&d->model, &info);
    if (error == 0 && info.kept == 0) {
        error = GM_ERR_STORE_EMPTY;
    }
    if (error == 0) {
        error = teach_score(&d->teach, &d->model, 0);
    }
    if (error) {
        return error;
    }
    d->console.scores = 1;
    d->console.steps_left = 1; /* until Ctrl-C */
    d->console.kept = d->console.right = 0;
    return go_on_scoring(d);
}

/* argument: the text after `every`. */
static int save_every(device *d, const char *argument)
{
    uint32_t every = 0;
    while (*argument == ' ') {
        ++argument;
    }
    int sets = strcmp(argument, "off") == 0 || (text_parse_u32(argument, &every) && every != 0);
    int error = d->run.active ? GM_ERR_BUSY : d->model.status;
    if (error == 0 && *argument) {
        error = sets ? autosave_set(&d->model, every) : CONSOLE_ERR_BAD_ARGUMENT;
    }
    if (error == 0) {
        report_save_every(d);
    }
    return error;
}

static int save(device *d, const char *argument)
{
    static const char every[] = "every";
    if (strncmp(argument, every, sizeof every - 1) == 0) {
        return save_every(d, argument + sizeof every - 1);
    }
    if (*argument) {
        return CONSOLE_ERR_BAD_ARGUMENT;
    }
    int error = d->run.active ? GM_ERR_BUSY : model_save(&d->model);
    if (error == 0) {
        text_u32(gm_checkpoint_size(&d->model.session));
        text_line(" bytes saved");
    }
    return error;
}

static int load(device *d, const char *argument)
{
    (void)argument;
    int error = d->model.status ? d->model.status : slots_load(&d->model.session);
    if (error == 0) {
        text_put("loaded, at train step ");
        text_u32(gm_control_view(&d->model.session)->train_steps);
        text_line("");
    }
    return error;
}

static int round_of(device *d, const char *argument)
{
    gm_federated_round round;
    uint32_t number;
    if (!BOARD_ROUNDS) {
        return CONSOLE_ERR_UNKNOWN_MESSAGE;
    }
    int error = d->run.active ? GM_ERR_BUSY : d->model.status;
    if (error == 0 && *argument) {
        error = text_parse_u32(argument, &number) ? federated_begin(&d->model, number) : CONSOLE_ERR_BAD_ARGUMENT;
    }
    if (error == 0) {
        error = federated_round(&d->model, &round);
    }
    if (error == 0) {
        text_put("round ");
        text_u32(round.number);
        text_line(round.base != NULL ? ", its base in flash" : ", its base the image's parameters");
    }
    return error;
}

static int delta(device *d, const char *argument)
{
    gm_federated_round round;
    if (!BOARD_ROUNDS) {
        return CONSOLE_ERR_UNKNOWN_MESSAGE;
    }
    int error = *argument ? CONSOLE_ERR_BAD_ARGUMENT : federated_round(&d->model, &round);
    for (uint32_t bits = 8; error == 0 && bits >= 2; bits /= 2) {
        round.bits = bits;
        text_u32(bits);
        text_put(" bits   ");
        text_u32(gm_round_delta_size(&d->model.session, &round));
        text_line(" bytes");
    }
    return error;
}

/* commands_go_on() begins the next program, or prints the next line, after any waiting request has
 * been answered. */
static int go_on_later(device *d)
{
    d->console.goes_on = 1;
    return COMMAND_RUNS;
}

static int export_model(device *d, const char *argument)
{
    if (!BOARD_EXPORT) {
        return CONSOLE_ERR_UNKNOWN_MESSAGE;
    }
    int error = *argument ? CONSOLE_ERR_BAD_ARGUMENT : typed_export_begin(d);
    if (error) {
        return error;
    }
    d->console.exports = 1;
    d->console.steps_left = 1; /* until Ctrl-C */
    return go_on_later(d);
}

static int go_on_exporting(device *d)
{
    int result = typed_export_go_on(d);
    return result > 0 ? go_on_later(d) : result;
}

static int reset(device *d, const char *argument)
{
    if (*argument == '\0') {
        board_reset();
    }
    if (strcmp(argument, "model") != 0) {
        return CONSOLE_ERR_BAD_ARGUMENT;
    }
    return d->model.status ? d->model.status : gm_reset(&d->model.session);
}

static const command commands[CONSOLE_COMMAND_COUNT] = {
    [CONSOLE_COMMAND_HELP] = help,
    [CONSOLE_COMMAND_INFO] = info,
    [CONSOLE_COMMAND_MEM] = mem,
    [CONSOLE_COMMAND_LR] = lr,
    [CONSOLE_COMMAND_TRAIN] = train,
    [CONSOLE_COMMAND_EVAL] = eval,
    [CONSOLE_COMMAND_INFER] = infer,
    [CONSOLE_COMMAND_SAVE] = save,
    [CONSOLE_COMMAND_LOAD] = load,
    [CONSOLE_COMMAND_RESET] = reset,
    [CONSOLE_COMMAND_LEARN] = learn,
    [CONSOLE_COMMAND_FORGET] = forget,
    [CONSOLE_COMMAND_EXPORT] = export_model,
    [CONSOLE_COMMAND_SCORE] = score,
    [CONSOLE_COMMAND_ROUND] = round_of,
    [CONSOLE_COMMAND_DELTA] = delta,
};

/* Ends the first word of line and returns the second, or "" if there is none. */
static const char *split(char *line)
{
    while (*line && *line != ' ') {
        ++line;
    }
    while (*line == ' ') {
        *line++ = '\0';
    }
    return line;
}

static int execute_word(device *d, const char *name, const char *argument)
{
    for (uint32_t i = 0; i < CONSOLE_COMMAND_COUNT; ++i) {
        if (strcmp(name, console_commands[i].name) == 0) {
            return commands[i](d, argument);
        }
    }
    for (uint32_t i = 0; i < the_application.command_count; ++i) {
        if (strcmp(name, the_application.commands[i].name) == 0) {
            return the_application.commands[i].run(argument);
        }
    }
    text_put("unknown command '");
    text_put(name);
    text_line("' - type help");
    return 0;
}

void commands_execute(device *d, char *line)
{
    const char *argument = split(line);
    int result = *line ? execute_word(d, line, argument) : 0;
    if (result < 0) {
        report_error(result);
    }
    if (result != COMMAND_RUNS) {
        commands_prompt();
    }
}

static void print_loss(const device *d)
{
    text_put("loss ");
    text_f32(d->run.metrics.loss);
    if (d->run.program != GM_PROGRAM_EVAL) {
        text_put("  step ");
        text_u32(gm_control_view(&d->model.session)->train_steps);
    }
    text_line("");
}

/* Begins the next part of a typed `train`, `score` or `export`. */
static int go_on(device *d)
{
    if (BOARD_EXPORT && d->console.exports) {
        return go_on_exporting(d);
    }
    return d->console.scores ? go_on_scoring(d) : start_training(d);
}

/* Begins the next step of a `train`. Returns COMMAND_RUNS, or 0 at its end. */
static int next_step(device *d)
{
    if (d->console.steps_left <= 1) {
        return 0;
    }
    --d->console.steps_left;
    return go_on_later(d);
}

/* Continues after a skipped step: later ones may succeed. */
static int skip_step(device *d)
{
    ++d->console.skipped;
    return d->run.skips < RUN_SKIPS_LIMIT ? next_step(d) : 0;
}

/* Begins the next program of a `train`. Returns as next_step(). */
static int go_on_training(device *d)
{
    if (d->run.program == GM_PROGRAM_TRAIN) {
        return start(d, GM_PROGRAM_OPTIMIZER);
    }
    int trains = d->run.program == GM_PROGRAM_STEP || d->run.program == GM_PROGRAM_OPTIMIZER;
    return trains ? next_step(d) : 0;
}

static void report_run(const device *d)
{
    if (d->run.program == GM_PROGRAM_INFER) {
        report_outputs(d);
    } else if (d->run.program != GM_PROGRAM_OPTIMIZER) {
        print_loss(d);
    }
}

static int after_run(device *d)
{
    if (d->console.scores) {
        int error = teach_count_batch(&d->teach, &d->model);
        return error ? error : go_on_later(d);
    }
    report_run(d);
    return go_on_training(d);
}

static void report_skipped(device *d)
{
    if (d->console.skipped != 0) {
        text_u32(d->console.skipped);
        text_put(" steps skipped: ");
        report_error(GM_ERR_NOT_FINITE);
        d->console.skipped = 0;
    }
}

/* Ends a command with the result of its program: reports an error and prints the prompt. Does
 * nothing with COMMAND_RUNS, because the command has more programs to run. */
static void conclude(device *d, int result)
{
    if (result == COMMAND_RUNS) {
        return;
    }
    d->console.scores = d->console.exports = 0;
    if (result < 0) {
        report_error(result);
    }
    report_skipped(d);
    commands_prompt();
}

void commands_run_ended(device *d, int error)
{
    int result = error;
    if (error == GM_ERR_NOT_FINITE) {
        result = skip_step(d);
    } else if (error == 0) {
        result = after_run(d);
    }
    conclude(d, result);
}

void commands_go_on(device *d)
{
    if (!d->console.goes_on || d->run.active) {
        return;
    }
    d->console.goes_on = 0;
    int result = 0;
    if (d->console.steps_left != 0) {
        result = go_on(d);
    }
    conclude(d, result);
}
