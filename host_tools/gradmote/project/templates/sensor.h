/* What the model learns from. */
#ifndef SENSOR_H
#define SENSOR_H

#include <stdint.h>

#define SENSOR_VALUES ${values}  /* of one sample, as many as the model's input has */
#define SENSOR_LABELS ${labels}  /* of one sample, as many as the model's label has */

typedef ${label_type} sensor_label;

/* Takes one sample. labels: what it is, for learning; only then is it asked for, else NULL. */
void sensor_read(float *values, sensor_label *labels);

#endif
