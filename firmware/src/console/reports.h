/* The longer outputs of the commands. */
#ifndef REPORTS_H
#define REPORTS_H

#include "device/device.h"

void report_help(void);
void report_info(const device *d);
void report_mem(const device *d);
/* First values of each output of INFER, and the class of its first sample. */
void report_outputs(const device *d);
/* What the store has of a class. */
void report_class(uint32_t label, const gm_store_class *own);
/* Of the class that was scored. */
void report_score(const teach *t);
/* Of all classes together. */
/* "save every" as it is set. */
void report_save_every(const device *d);

/* What autosave_updated() returned: why it failed, and to who trains by typing, that a checkpoint was kept. */
void report_autosave(const device *d, int result);

void report_total(uint32_t kept, uint32_t right);

#endif
