/* Handlers of the binary messages, by what they deal with. */
#ifndef HANDLERS_H
#define HANDLERS_H

#include "device/device.h"

/* Returned by a handler whose reply follows later. */
#define HANDLER_LATER 1

/* payload: at least the message's fixed part; length: all of it. Appends to d->reply; returns 0, HANDLER_LATER, or
 * an error code. */
typedef int (*handler)(device *d, const uint8_t *payload, uint32_t length);

/* handle_info.c */
int handle_info(device *d, const uint8_t *payload, uint32_t length);
int handle_mem(device *d, const uint8_t *payload, uint32_t length);
int handle_describe(device *d, const uint8_t *payload, uint32_t length);

/* handle_files.c */
int handle_image_begin(device *d, const uint8_t *payload, uint32_t length);
int handle_image_resume(device *d, const uint8_t *payload, uint32_t length);
int handle_image_data(device *d, const uint8_t *payload, uint32_t length);
int handle_image_end(device *d, const uint8_t *payload, uint32_t length);
int handle_update_begin(device *d, const uint8_t *payload, uint32_t length);
int handle_update_end(device *d, const uint8_t *payload, uint32_t length);
int handle_save(device *d, const uint8_t *payload, uint32_t length);
int handle_save_every(device *d, const uint8_t *payload, uint32_t length);
int handle_saves(device *d, const uint8_t *payload, uint32_t length);
int handle_load(device *d, const uint8_t *payload, uint32_t length);
int handle_checkpoint_begin(device *d, const uint8_t *payload, uint32_t length);
int handle_checkpoint_data(device *d, const uint8_t *payload, uint32_t length);
int handle_checkpoint_end(device *d, const uint8_t *payload, uint32_t length);

/* handle_training.c */
int handle_data(device *d, const uint8_t *payload, uint32_t length);
int handle_data_u8(device *d, const uint8_t *payload, uint32_t length);
int handle_run(device *d, const uint8_t *payload, uint32_t length);
int handle_metrics(device *d, const uint8_t *payload, uint32_t length);
int handle_learning_rate(device *d, const uint8_t *payload, uint32_t length);
int handle_schedule(device *d, const uint8_t *payload, uint32_t length);
int handle_seed(device *d, const uint8_t *payload, uint32_t length);
int handle_lazy_reset(device *d, const uint8_t *payload, uint32_t length);
int handle_reset_state(device *d, const uint8_t *payload, uint32_t length);

/* handle_store.c */
int handle_store(device *d, const uint8_t *payload, uint32_t length);
int handle_store_class(device *d, const uint8_t *payload, uint32_t length);
int handle_learn(device *d, const uint8_t *payload, uint32_t length);
int handle_forget(device *d, const uint8_t *payload, uint32_t length);
int handle_replay(device *d, const uint8_t *payload, uint32_t length);
int handle_score(device *d, const uint8_t *payload, uint32_t length);
int handle_idle_training(device *d, const uint8_t *payload, uint32_t length);
/* Goes on with SCORE after one of its programs has ended. */
int handle_scored(device *d);

/* The reply of `handler` follows when the program ends that was begun without `error`. */
int handle_later(device *d, int error);

/* handle_read.c */
int handle_read(device *d, const uint8_t *payload, uint32_t length);

#endif
