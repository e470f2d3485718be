/*
 * Learns the gestures of its owner. The console has one command more:
 *
 *     record    records a gesture, for `learn` and `infer`
 *
 * The model of gesture.onnx is in the program, until another one is sent.
 */
#include "accelerometer.h"
#include "application.h"
#include "gesture.h"
#include "gradmote_console.h"

static int record(const char *argument)
{
    (void)argument;
    void *window;
    uint32_t size;
    int error = firmware_place(GM_ROLE_INPUT, 0, &window, &size);
    if (error == GM_OK && size % (WINDOW_VALUES * sizeof(float)) != 0) {
        return GM_ERR_WRONG_SIZE; /* somebody sent a model of something else */
    }
    if (error == GM_OK) {
        accelerometer_record(window); /* the first sample of the batch, which learn and infer take */
    }
    return error;
}

int application_poll(void)
{
    return 0;
}

static const application_command commands[] = {
    {"record", "record a gesture, for learn and infer", record},
};

const application the_application = {
    .image = gesture_image,
    .image_size = sizeof gesture_image,
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
};

void app_main(void)
{
    gradmote_console_start();
}
