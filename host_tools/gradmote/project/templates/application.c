/*
 * What this board does beside the console's own commands, which `help` lists:
 *
 *   sense         takes a sample from the sensor and says what the model makes of it
 *   practise [N]  learns from N samples of the sensor and their labels (100); `practise 0` ends it
 *
 * Everything is in gradmote/firmware/src/application.h (this file) and gradmote/runtime_c/include/gradmote.h (gm_...).
 */
#include "../gradmote/firmware/src/application.h"

#include "my_model.h"
#include "sensor.h"

#define PRACTICE 100u      /* batches, unless told */
#define VALUES_SHOWN 16u   /* of an output */

/* ---- Samples ------------------------------------------------------------------------------------------------- */

/* Fills the model's input, and its label where `labelled`, with a batch of samples. Returns 0 or an error. */
static int take_samples(int labelled)
{
    void *values, *labels = NULL;
    uint32_t size, labels_size = 0;
    int error = firmware_place(GM_ROLE_INPUT, 0, &values, &size);
    if (error == 0 && labelled) {
        error = firmware_place(GM_ROLE_LABEL, 0, &labels, &labels_size);
    }
    if (error) {
        return error;
    }
    uint32_t batch = size / (SENSOR_VALUES * 4u);
    if (batch * SENSOR_VALUES * 4u != size || (labelled && batch * SENSOR_LABELS * 4u != labels_size)) {
        return GM_ERR_WRONG_SIZE; /* another model than that of sensor.h */
    }
    for (uint32_t i = 0; i < batch; ++i) {
        sensor_read((float *)values + i * SENSOR_VALUES, labelled ? (sensor_label *)labels + i * SENSOR_LABELS : NULL);
    }
    return 0;
}

/* ---- sense --------------------------------------------------------------------------------------------------- */

/* The first sample's values of the first output. */
static void show_output(const gm_session *session)
{
    gm_view output;
    if (gm_tensor_view(session, GM_PROGRAM_INFER, GM_ROLE_OUTPUT, 0, &output)) {
        return;
    }
    uint32_t count = output.rank ? output.size / 4 / output.dims[0] : 1, largest = 0;
    const float *values = output.data;
    for (uint32_t i = 0; i < count; ++i) {
        if (i < VALUES_SHOWN) {
            text_f32(values[i]);
            text_put(" ");
        }
        largest = values[i] > values[largest] ? i : largest;
    }
    text_put(count > VALUES_SHOWN ? "...: largest is " : ": largest is ");
    text_u32(largest);
    text_line("");
}

static int sense(const char *argument)
{
    (void)argument;
    gm_session *session;
    int error = firmware_session(&session);
    if (error == 0) {
        error = take_samples(0);
    }
    if (error == 0) {
        error = gm_infer(session);
    }
    if (error == 0) {
        show_output(session);
    }
    return error;
}

/* ---- practise: a batch in each round of the main loop, so that the console goes on --------------------------------- */

static uint32_t left, done;
static float first_loss, last_loss;

static int practise(const char *argument)
{
    uint32_t batches = PRACTICE;
    gm_session *session;
    if (*argument && !text_parse_u32(argument, &batches)) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    int error = firmware_session(&session);
    if (error == 0) {
        left = batches;
        done = 0;
    }
    return error;
}

/* Forward, backward and update, in one program or two: as the image was compiled. */
static int learn(gm_session *session, float *loss)
{
    int error = gm_step(session, loss);
    if (error == GM_ERR_NO_PROGRAM) {
        error = gm_train_step(session, loss);
        return error ? error : gm_optimizer_step(session);
    }
    return error;
}

static void tell(int error)
{
    text_line("");
    if (error) {
        text_line(gm_error_text(error));
    } else {
        text_u32(done);
        text_put(" batches: loss ");
        text_f32(first_loss);
        text_put(" -> ");
        text_f32(last_loss);
        text_line("");
    }
    text_put("> ");
}

int application_poll(void)
{
    gm_session *session;
    if (left == 0 || firmware_session(&session) != 0) {
        return 0; /* nothing to do, or the console runs the model */
    }
    int error = take_samples(1);
    if (error == 0) {
        error = learn(session, &last_loss);
    }
    if (error == 0) {
        first_loss = done++ ? first_loss : last_loss;
    }
    left = error ? 0 : left - 1;
    if (left == 0) {
        tell(error);
    }
    return 1;
}

/* ---- What the firmware knows of all this ------------------------------------------------------------------------- */

static const application_command commands[] = {
    { "sense", "what the model makes of a sample of the sensor", sense },
    { "practise", "learn from samples of the sensor (100): practise 500", practise },
};

const application the_application = {
    .image = my_model_image,
    .image_size = sizeof my_model_image,
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
};
