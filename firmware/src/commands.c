#include "commands.h"

#include <string.h>

#include "application.h"
#include "board.h"
#include "reports.h"
#include "slots.h"
#include "text.h"

/* Returns 0, COMMAND_RUNS, or an error that is then printed. */
typedef int (*command)(device *d, const char *argument);

#define COMMAND_RUNS 1

void commands_prompt(void)
{
    text_put("> ");
}

void commands_print_error(int error)
{
    text_put(console_error_text(error));
    text_put(" (");
    text_i32(error);
    text_put(")");
    if (*console_error_hint(error)) {
        text_put(" - ");
        text_put(console_error_hint(error));
    }
    text_line("");
}

static int start(device *d, uint32_t program)
{
    int error = d->run.active ? GM_ERR_BUSY : run_begin(&d->run, &d->model, program);
    if (error) {
        return error;
    }
    d->requester = REQUESTER_PERSON;
    return COMMAND_RUNS;
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
        int error = text_parse_f32(argument, &rate) ? gm_set_learning_rate(&d->model.session, rate)
                                                    : CONSOLE_ERR_BAD_ARGUMENT;
        if (error) {
            return error;
        }
    }
    text_f32(gm_learning_rate(&d->model.session));
    text_line("");
    return 0;
}

static uint32_t training_program(const model *m)
{
    return model_has(m, GM_PROGRAM_STEP) ? GM_PROGRAM_STEP : GM_PROGRAM_TRAIN;
}

static int train(device *d, const char *argument)
{
    uint32_t steps = 1;
    if (*argument && (!text_parse_u32(argument, &steps) || steps == 0)) {
        return CONSOLE_ERR_BAD_ARGUMENT;
    }
    int result = start(d, training_program(&d->model));
    if (result == COMMAND_RUNS) {
        d->console.steps_left = steps;
    }
    return result;
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

static int save(device *d, const char *argument)
{
    (void)argument;
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
    [CONSOLE_COMMAND_HELP] = help,   [CONSOLE_COMMAND_INFO] = info,   [CONSOLE_COMMAND_MEM] = mem,
    [CONSOLE_COMMAND_LR] = lr,       [CONSOLE_COMMAND_TRAIN] = train, [CONSOLE_COMMAND_EVAL] = eval,
    [CONSOLE_COMMAND_INFER] = infer, [CONSOLE_COMMAND_SAVE] = save,   [CONSOLE_COMMAND_LOAD] = load,
    [CONSOLE_COMMAND_RESET] = reset,
};

/* Ends the first word of line and returns the second; "" where there is none. */
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
        commands_print_error(result);
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

/* The program that a `train` goes on with, or GM_NONE at its end. */
static uint32_t next_program(device *d)
{
    if (d->run.program == GM_PROGRAM_TRAIN) {
        return GM_PROGRAM_OPTIMIZER;
    }
    int trains = d->run.program == GM_PROGRAM_STEP || d->run.program == GM_PROGRAM_OPTIMIZER;
    if (!trains || d->console.steps_left <= 1) {
        return GM_NONE;
    }
    --d->console.steps_left;
    return training_program(&d->model);
}

void commands_run_ended(device *d, int error)
{
    if (error == 0 && d->run.program == GM_PROGRAM_INFER) {
        report_outputs(d);
    } else if (error == 0 && d->run.program != GM_PROGRAM_OPTIMIZER) {
        print_loss(d);
    }
    uint32_t next = error ? GM_NONE : next_program(d);
    int result = next == GM_NONE ? error : start(d, next);
    if (result < 0) {
        commands_print_error(result);
    }
    if (result != COMMAND_RUNS) {
        commands_prompt();
    }
}
