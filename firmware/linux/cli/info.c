/* gradmote-run info */
#include <stdio.h>
#include <stdlib.h>

#include "commands_run.h"
#include "opened.h"
#include "options.h"

static void print_program_name(void)
{
    printf("gradmote-run    %d.%d.%d on %s, %s numerics\n", GM_VERSION_MAJOR, GM_VERSION_MINOR, GM_VERSION_PATCH,
           GM_BOARD_NAME, GM_FUSED ? "fused" : "strict");
}

static void print_tensors(const opened *m, const char *what, uint32_t program, uint32_t role)
{
    gm_view view;
    for (uint32_t i = 0; gm_tensor_view(&m->session, program, role, i, &view) == 0; ++i) {
        printf("%-15s %s  %s", what, view.name != NULL ? view.name : "?", opened_dtypes[view.dtype]);
        for (uint32_t axis = 0; axis < view.rank; ++axis) {
            printf("%s%u", axis == 0 ? " [" : ", ", view.dims[axis]);
        }
        printf(view.rank > 0 ? "]\n" : "\n");
    }
}

/* Returns the program with the most tensors: all inputs, and labels if there are any. */
static uint32_t fullest_program(const opened *m)
{
    static const uint32_t order[] = {GM_PROGRAM_STEP, GM_PROGRAM_TRAIN, GM_PROGRAM_EVAL};
    for (uint32_t i = 0; i < sizeof order / sizeof order[0]; ++i) {
        if (opened_has(m, order[i])) {
            return order[i];
        }
    }
    return GM_PROGRAM_INFER;
}

static void print_model(const opened *m)
{
    const gm_control *control = gm_control_view(&m->session);
    printf("image           %u bytes\nprograms       ", m->session.header->size);
    for (uint32_t program = 0; program < GM_PROGRAM_COUNT; ++program) {
        printf("%s%s", opened_has(m, program) ? " " : "", opened_has(m, program) ? opened_programs[program] : "");
    }
    printf("\nbatch           %u samples\n", m->needs.batch);
    print_tensors(m, "input", fullest_program(m), GM_ROLE_INPUT);
    print_tensors(m, "label", fullest_program(m), GM_ROLE_LABEL);
    print_tensors(m, "output", GM_PROGRAM_INFER, GM_ROLE_OUTPUT);
    printf("arena           %u bytes\nparameters      %u bytes\n", m->needs.arena_size, m->needs.parameters_size);
    printf("train steps     %u\nupdates         %u\nlearning rate   %g\n", control->train_steps,
           control->optimizer_steps, (double)control->learning_rate);
}

int run_info(int argc, char **argv)
{
    static opened m;
    const char *image, *checkpoint = NULL;
    const option options[] = {
        {"--checkpoint", OPTION_TEXT, &checkpoint, "C.gmck", "describe what was learned", NULL},
        {NULL, OPTION_TEXT, NULL, NULL, NULL, NULL},
    };
    const command about = {"info", "What this program is, and what a model takes and gives.", "[MODEL.mote] [options]",
                           "  gradmote-run info digits.mote --checkpoint learned.gmck\n", options};
    options_parse(&about, argc, argv, &image, 0, 1);
    print_program_name();
    if (image != NULL) {
        opened_model(&m, image, 1);
        if (checkpoint != NULL) {
            opened_load(&m, checkpoint);
        }
        print_model(&m);
    }
    return EXIT_SUCCESS;
}
