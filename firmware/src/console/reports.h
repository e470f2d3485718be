/* The longer outputs of the commands. */
#ifndef REPORTS_H
#define REPORTS_H

#include "device/device.h"

/* Prints the text of an error, its code and its hint. */
void report_error(int error);

/* Prints the commands, including the application's. */
void report_help(void);

/* Prints the state of the firmware, the model and its training. */
void report_info(const device *d);

/* Prints the use of RAM and flash, in bytes. */
void report_mem(const device *d);

/* Prints the first values of each output of INFER, and the class of its first sample. */
void report_outputs(const device *d);

/* Prints how many samples of a class the store has. */
void report_class(uint32_t label, const gm_store_class *own);

/* Prints how many samples of the scored class the model recognizes. */
void report_score(const teach *t);

/* Prints the percentage of samples of all classes that the model recognizes. */
void report_total(uint32_t kept, uint32_t right);

/* Prints how often the board saves a checkpoint by itself. */
void report_save_every(const device *d);

/* Prints the result of autosave_updated(): why it failed or, if a console user trains, that it
 * saved a checkpoint. */
void report_autosave(const device *d, int result);

#endif
