/* What the model learns from. */
#ifndef ACCELEROMETER_H
#define ACCELEROMETER_H

#define WINDOW_SAMPLES 10
#define WINDOW_AXES 3
#define WINDOW_VALUES (WINDOW_SAMPLES * WINDOW_AXES)

/* Records a gesture: the acceleration along each axis, in g, WINDOW_SAMPLES times. */
void accelerometer_record(float window[WINDOW_VALUES]);

#endif
