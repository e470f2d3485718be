/* The longer outputs of the commands. */
#ifndef REPORTS_H
#define REPORTS_H

#include "device.h"

void report_help(void);
void report_info(const device *d);
void report_mem(const device *d);
/* First values of each output of INFER. */
void report_outputs(const device *d);

#endif
