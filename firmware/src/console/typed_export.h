/* The typed `export`: prints the trained model as an .onnx file, in the base64 of POSIX's uuencode. */
#ifndef TYPED_EXPORT_H
#define TYPED_EXPORT_H

#include "device/device.h"

/* Checks the whole export table and prints the first line. Returns 0, a gm_error or a console_error. */
int typed_export_begin(device *d);

/* Prints the next line. Returns 1 while others follow, 0 after the last one, or an error: a
 * gm_error, or CONSOLE_ERR_OUT_OF_ORDER if a frame has changed the state meanwhile. */
int typed_export_go_on(device *d);

#endif
