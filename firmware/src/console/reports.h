/* The longer outputs of the commands. */
#ifndef REPORTS_H
#define REPORTS_H

#include "device/device.h"

/* Prints the text of an error, its code and its hint. */
void report_error(int error);

/* Prints the commands, those of the application too. */
void report_help(void);

/* Prints what the firmware, the model and its training are. */
void report_info(const device *d);

/* Prints how RAM and flash are divided, in bytes. */
void report_mem(const device *d);

/* Prints the first values of each output of INFER, and the class of its first sample. */
void report_outputs(const device *d);

/* Prints how many samples of a class the store has. */
void report_class(uint32_t label, const gm_store_class *own);

/* Prints how many samples of the class that was scored are recognised. */
void report_score(const teach *t);

/* Prints the percentage of samples of all classes that are recognised. */
void report_total(uint32_t kept, uint32_t right);

/* Prints how often a checkpoint is kept by itself. */
void report_save_every(const device *d);

/* Prints what autosave_updated() returned: why it failed or, where a person trains, that a
 * checkpoint was kept. */
void report_autosave(const device *d, int result);

#endif
