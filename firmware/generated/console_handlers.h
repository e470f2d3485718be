/* Rendered from runtime_c/spec by `scons render`; do not edit. */
/* The function of each message that a program sends to a board. handle_*.c has them. */
#ifndef CONSOLE_HANDLERS_H
#define CONSOLE_HANDLERS_H

#include "console_spec.h"
#include "device/device.h"

/* Returned by a handler whose reply follows when the program has ended that it began. */
#define HANDLER_LATER 1

/* Each returns 0 when it has filled in the reply, HANDLER_LATER, or an error code, which is then sent in its place.
 * size: bytes of the request after its fixed part. */
int handle_info(device *d, info_reply *reply);
int handle_mem(device *d, mem_reply *reply);
int handle_image_begin(device *d, const image_begin_request *request);
int handle_image_data(device *d, const image_data_request *request, uint32_t size);
int handle_image_end(device *d, image_end_reply *reply);
int handle_describe(device *d, const describe_request *request, describe_reply *reply);
int handle_data(device *d, const data_request *request, uint32_t size);
int handle_data_u8(device *d, const data_u8_request *request, uint32_t size);
int handle_run(device *d, const run_request *request, run_reply *reply);
int handle_metrics(device *d, run_reply *reply);
int handle_read(device *d, const read_request *request, read_reply *reply);
int handle_learning_rate(device *d, const learning_rate_request *request);
int handle_schedule(device *d, const schedule_request *request);
int handle_seed(device *d, const seed_request *request);
int handle_lazy_reset(device *d);
int handle_save(device *d, save_reply *reply);
int handle_load(device *d);
int handle_checkpoint_begin(device *d, const checkpoint_begin_request *request);
int handle_checkpoint_data(device *d, const checkpoint_data_request *request, uint32_t size);
int handle_checkpoint_end(device *d);
int handle_reset_state(device *d);
int handle_reboot(device *d);
int handle_store(device *d, store_reply *reply);
int handle_store_class(device *d, const store_class_request *request, store_class_reply *reply);
int handle_learn(device *d, const learn_request *request);
int handle_forget(device *d, const forget_request *request);
int handle_replay(device *d, const replay_request *request, run_reply *reply);
int handle_score(device *d, const score_request *request, score_reply *reply);
int handle_idle_training(device *d, const idle_training_request *request);
int handle_image_resume(device *d, image_resume_reply *reply);
int handle_update_begin(device *d, const update_begin_request *request);
int handle_update_end(device *d, const update_end_request *request, update_end_reply *reply);
int handle_save_every(device *d, const save_every_request *request);
int handle_saves(device *d, saves_reply *reply);
int handle_round(device *d, round_reply *reply);
int handle_round_begin(device *d, const round_begin_request *request);
int handle_delta(device *d, const delta_request *request, uint32_t size, delta_reply *reply);
int handle_delta_begin(device *d, const delta_begin_request *request);
int handle_delta_data(device *d, const delta_data_request *request, uint32_t size);
int handle_delta_end(device *d, const delta_end_request *request, delta_end_reply *reply);
int handle_build(device *d, build_reply *reply);

/* Each fills in a reply when the program has ended that the handler began, and returns as handlers do. */
int finish_run(device *d, run_reply *reply);
int finish_replay(device *d, run_reply *reply);
int finish_score(device *d, score_reply *reply);

/* Calls the handler of a message that console_messages knows, with a request that is as long as it must be. */
int console_handle(device *d, uint8_t type, const uint8_t *payload, uint32_t length);

/* Calls what finishes a message whose handler returned HANDLER_LATER. */
int console_finish(device *d, uint8_t type);

#endif
