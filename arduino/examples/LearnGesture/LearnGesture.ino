/*
 * Learns three gestures of its owner from an analog accelerometer on A0, A1 and A2. Over the serial monitor:
 *
 *     r          records a gesture for a fifth of a second, and says which it takes it for
 *     0, 1, 2    teaches what was recorded as that gesture
 *
 * A dozen of each is enough. model.h was written by make_model.py: `gradmote header` puts any model of yours there.
 */
#include <gradmote.hpp>

#include "model.h"

const int AXES = 3, SAMPLES = 10, CLASSES = 3, LESSONS = 5;

static gradmote::Arena<MODEL_ARENA_BYTES> arena;
static gradmote::Session session;
static float gesture[AXES * SAMPLES];

static void report(gradmote::Status status)
{
    Serial.print(status.text());
    Serial.print(" - ");
    Serial.println(status.hint());
}

static void record()
{
    for (int sample = 0; sample < SAMPLES; ++sample) {
        for (int axis = 0; axis < AXES; ++axis) {
            gesture[AXES * sample + axis] = static_cast<float>(analogRead(A0 + axis) - 512) / 256.0f;
        }
        delay(20);
    }
}

static void guess()
{
    gradmote::Status status = session.write(GM_ROLE_INPUT, 0, gesture);
    if (status) {
        status = session.infer();
    }
    if (!status) {
        return report(status);
    }
    gradmote::View<const float> scores = session.output();
    int best = 0;
    for (int label = 1; label < CLASSES; ++label) {
        best = scores[label] > scores[best] ? label : best;
    }
    Serial.print("gesture ");
    Serial.println(best);
}

static void learn(int32_t label)
{
    const int32_t labels[] = { label };
    float loss = 0.0f;
    gradmote::Status status = session.write(GM_ROLE_LABEL, 0, labels);
    for (int lesson = 0; lesson < LESSONS && status; ++lesson) {
        status = session.step(&loss);
    }
    if (!status) {
        return report(status);
    }
    Serial.print("learned, loss ");
    Serial.println(loss);
}

void setup()
{
    Serial.begin(115200);
    gradmote::Status status = session.open(model_image, sizeof model_image, arena);
    if (!status) {
        report(status);
    }
}

void loop()
{
    int key = Serial.read();
    if (key == 'r') {
        record();
        guess();
    } else if (key >= '0' && key < '0' + CLASSES) {
        learn(key - '0');
    }
}
