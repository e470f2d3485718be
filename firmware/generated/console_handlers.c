/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#include "console_handlers.h"

#include <stddef.h>

#include "board.h"

/* The compiler lays the payloads out as docs/CONSOLE.md does. */
typedef char info_reply_is_packed[sizeof(info_reply) == 100 ? 1 : -1];
typedef char mem_reply_is_packed[sizeof(mem_reply) == 32 ? 1 : -1];
typedef char image_begin_request_is_packed[sizeof(image_begin_request) == 4 ? 1 : -1];
typedef char image_data_request_is_packed[sizeof(image_data_request) == 4 ? 1 : -1];
typedef char image_end_reply_is_packed[sizeof(image_end_reply) == 1 ? 1 : -1];
typedef char describe_request_is_packed[sizeof(describe_request) == 4 ? 1 : -1];
typedef char describe_reply_is_packed[sizeof(describe_reply) == 31 ? 1 : -1];
typedef char data_request_is_packed[sizeof(data_request) == 7 ? 1 : -1];
typedef char data_u8_request_is_packed[sizeof(data_u8_request) == 15 ? 1 : -1];
typedef char run_request_is_packed[sizeof(run_request) == 1 ? 1 : -1];
typedef char run_reply_is_packed[sizeof(run_reply) == 32 ? 1 : -1];
typedef char read_request_is_packed[sizeof(read_request) == 11 ? 1 : -1];
typedef char read_reply_is_packed[sizeof(read_reply) == 4 ? 1 : -1];
typedef char learning_rate_request_is_packed[sizeof(learning_rate_request) == 4 ? 1 : -1];
typedef char schedule_request_is_packed[sizeof(schedule_request) == 12 ? 1 : -1];
typedef char seed_request_is_packed[sizeof(seed_request) == 4 ? 1 : -1];
typedef char save_reply_is_packed[sizeof(save_reply) == 4 ? 1 : -1];
typedef char checkpoint_begin_request_is_packed[sizeof(checkpoint_begin_request) == 4 ? 1 : -1];
typedef char checkpoint_data_request_is_packed[sizeof(checkpoint_data_request) == 4 ? 1 : -1];
typedef char store_reply_is_packed[sizeof(store_reply) == 21 ? 1 : -1];
typedef char store_class_request_is_packed[sizeof(store_class_request) == 4 ? 1 : -1];
typedef char store_class_reply_is_packed[sizeof(store_class_reply) == 8 ? 1 : -1];
typedef char learn_request_is_packed[sizeof(learn_request) == 4 ? 1 : -1];
typedef char forget_request_is_packed[sizeof(forget_request) == 4 ? 1 : -1];
typedef char replay_request_is_packed[sizeof(replay_request) == 1 ? 1 : -1];
typedef char score_request_is_packed[sizeof(score_request) == 4 ? 1 : -1];
typedef char score_reply_is_packed[sizeof(score_reply) == 8 ? 1 : -1];
typedef char idle_training_request_is_packed[sizeof(idle_training_request) == 1 ? 1 : -1];
typedef char image_resume_reply_is_packed[sizeof(image_resume_reply) == 12 ? 1 : -1];
typedef char update_begin_request_is_packed[sizeof(update_begin_request) == 4 ? 1 : -1];
typedef char update_end_request_is_packed[sizeof(update_end_request) == 1 ? 1 : -1];
typedef char update_end_reply_is_packed[sizeof(update_end_reply) == 5 ? 1 : -1];
typedef char save_every_request_is_packed[sizeof(save_every_request) == 4 ? 1 : -1];
typedef char saves_reply_is_packed[sizeof(saves_reply) == 16 ? 1 : -1];
typedef char round_reply_is_packed[sizeof(round_reply) == 4 ? 1 : -1];
typedef char round_begin_request_is_packed[sizeof(round_begin_request) == 4 ? 1 : -1];
typedef char delta_request_is_packed[sizeof(delta_request) == 11 ? 1 : -1];
typedef char delta_reply_is_packed[sizeof(delta_reply) == 4 ? 1 : -1];
typedef char delta_begin_request_is_packed[sizeof(delta_begin_request) == 4 ? 1 : -1];
typedef char delta_data_request_is_packed[sizeof(delta_data_request) == 4 ? 1 : -1];
typedef char delta_end_request_is_packed[sizeof(delta_end_request) == 5 ? 1 : -1];
typedef char delta_end_reply_is_packed[sizeof(delta_end_reply) == 4 ? 1 : -1];
typedef char build_reply_is_packed[sizeof(build_reply) == 40 ? 1 : -1];
typedef char reply_is_aligned[offsetof(device, reply.payload) % 4 == 0 ? 1 : -1];

const console_message console_messages[CONSOLE_MESSAGE_LIMIT] = {
    [CONSOLE_INFO] = { 1, 0, 0, 100 },
    [CONSOLE_MEM] = { 1, 0, 0, 32 },
    [CONSOLE_IMAGE_BEGIN] = { 1, 0, 4, 0 },
    [CONSOLE_IMAGE_DATA] = { 1, 1, 4, 0 },
    [CONSOLE_IMAGE_END] = { 1, 0, 0, 1 },
    [CONSOLE_DESCRIBE] = { 1, 0, 4, 31 },
    [CONSOLE_DATA] = { 1, 1, 7, 0 },
    [CONSOLE_DATA_U8] = { 1, 1, 15, 0 },
    [CONSOLE_RUN] = { 1, 0, 1, 32 },
    [CONSOLE_METRICS] = { 1, 0, 0, 32 },
    [CONSOLE_READ] = { 1, 0, 11, 4 },
    [CONSOLE_LEARNING_RATE] = { 1, 0, 4, 0 },
    [CONSOLE_SCHEDULE] = { 1, 0, 12, 0 },
    [CONSOLE_SEED] = { 1, 0, 4, 0 },
    [CONSOLE_LAZY_RESET] = { 1, 0, 0, 0 },
    [CONSOLE_SAVE] = { 1, 0, 0, 4 },
    [CONSOLE_LOAD] = { 1, 0, 0, 0 },
    [CONSOLE_CHECKPOINT_BEGIN] = { 1, 0, 4, 0 },
    [CONSOLE_CHECKPOINT_DATA] = { 1, 1, 4, 0 },
    [CONSOLE_CHECKPOINT_END] = { 1, 0, 0, 0 },
    [CONSOLE_RESET_STATE] = { 1, 0, 0, 0 },
    [CONSOLE_REBOOT] = { 1, 0, 0, 0 },
    [CONSOLE_STORE] = { 1, 0, 0, 21 },
    [CONSOLE_STORE_CLASS] = { 1, 0, 4, 8 },
    [CONSOLE_LEARN] = { 1, 0, 4, 0 },
    [CONSOLE_FORGET] = { 1, 0, 4, 0 },
    [CONSOLE_REPLAY] = { 1, 0, 1, 32 },
    [CONSOLE_SCORE] = { 1, 0, 4, 8 },
    [CONSOLE_IDLE_TRAINING] = { 1, 0, 1, 0 },
    [CONSOLE_IMAGE_RESUME] = { 1, 0, 0, 12 },
#if BOARD_UPDATES
    [CONSOLE_UPDATE_BEGIN] = { 1, 0, 4, 0 },
#endif
#if BOARD_UPDATES
    [CONSOLE_UPDATE_END] = { 1, 0, 1, 5 },
#endif
    [CONSOLE_SAVE_EVERY] = { 1, 0, 4, 0 },
    [CONSOLE_SAVES] = { 1, 0, 0, 16 },
#if BOARD_ROUNDS
    [CONSOLE_ROUND] = { 1, 0, 0, 4 },
#endif
#if BOARD_ROUNDS
    [CONSOLE_ROUND_BEGIN] = { 1, 0, 4, 0 },
#endif
#if BOARD_ROUNDS
    [CONSOLE_DELTA] = { 1, 1, 11, 4 },
#endif
#if BOARD_ROUNDS
    [CONSOLE_DELTA_BEGIN] = { 1, 0, 4, 0 },
#endif
#if BOARD_ROUNDS
    [CONSOLE_DELTA_DATA] = { 1, 1, 4, 0 },
#endif
#if BOARD_ROUNDS
    [CONSOLE_DELTA_END] = { 1, 0, 5, 4 },
#endif
    [CONSOLE_BUILD] = { 1, 0, 0, 40 },
};

int console_handle(device *d, uint8_t type, const uint8_t *payload, uint32_t length)
{
    const void *request = payload;
    void *reply = d->reply.payload;
    switch (type) {
    case CONSOLE_INFO: return handle_info(d, reply);
    case CONSOLE_MEM: return handle_mem(d, reply);
    case CONSOLE_IMAGE_BEGIN: return handle_image_begin(d, request);
    case CONSOLE_IMAGE_DATA: return handle_image_data(d, request, length - 4u);
    case CONSOLE_IMAGE_END: return handle_image_end(d, reply);
    case CONSOLE_DESCRIBE: return handle_describe(d, request, reply);
    case CONSOLE_DATA: return handle_data(d, request, length - 7u);
    case CONSOLE_DATA_U8: return handle_data_u8(d, request, length - 15u);
    case CONSOLE_RUN: return handle_run(d, request, reply);
    case CONSOLE_METRICS: return handle_metrics(d, reply);
    case CONSOLE_READ: return handle_read(d, request, reply);
    case CONSOLE_LEARNING_RATE: return handle_learning_rate(d, request);
    case CONSOLE_SCHEDULE: return handle_schedule(d, request);
    case CONSOLE_SEED: return handle_seed(d, request);
    case CONSOLE_LAZY_RESET: return handle_lazy_reset(d);
    case CONSOLE_SAVE: return handle_save(d, reply);
    case CONSOLE_LOAD: return handle_load(d);
    case CONSOLE_CHECKPOINT_BEGIN: return handle_checkpoint_begin(d, request);
    case CONSOLE_CHECKPOINT_DATA: return handle_checkpoint_data(d, request, length - 4u);
    case CONSOLE_CHECKPOINT_END: return handle_checkpoint_end(d);
    case CONSOLE_RESET_STATE: return handle_reset_state(d);
    case CONSOLE_REBOOT: return handle_reboot(d);
    case CONSOLE_STORE: return handle_store(d, reply);
    case CONSOLE_STORE_CLASS: return handle_store_class(d, request, reply);
    case CONSOLE_LEARN: return handle_learn(d, request);
    case CONSOLE_FORGET: return handle_forget(d, request);
    case CONSOLE_REPLAY: return handle_replay(d, request, reply);
    case CONSOLE_SCORE: return handle_score(d, request, reply);
    case CONSOLE_IDLE_TRAINING: return handle_idle_training(d, request);
    case CONSOLE_IMAGE_RESUME: return handle_image_resume(d, reply);
#if BOARD_UPDATES
    case CONSOLE_UPDATE_BEGIN: return handle_update_begin(d, request);
#endif
#if BOARD_UPDATES
    case CONSOLE_UPDATE_END: return handle_update_end(d, request, reply);
#endif
    case CONSOLE_SAVE_EVERY: return handle_save_every(d, request);
    case CONSOLE_SAVES: return handle_saves(d, reply);
#if BOARD_ROUNDS
    case CONSOLE_ROUND: return handle_round(d, reply);
#endif
#if BOARD_ROUNDS
    case CONSOLE_ROUND_BEGIN: return handle_round_begin(d, request);
#endif
#if BOARD_ROUNDS
    case CONSOLE_DELTA: return handle_delta(d, request, length - 11u, reply);
#endif
#if BOARD_ROUNDS
    case CONSOLE_DELTA_BEGIN: return handle_delta_begin(d, request);
#endif
#if BOARD_ROUNDS
    case CONSOLE_DELTA_DATA: return handle_delta_data(d, request, length - 4u);
#endif
#if BOARD_ROUNDS
    case CONSOLE_DELTA_END: return handle_delta_end(d, request, reply);
#endif
    case CONSOLE_BUILD: return handle_build(d, reply);
    default: return CONSOLE_ERR_UNKNOWN_MESSAGE;
    }
}

int console_finish(device *d, uint8_t type)
{
    void *reply = d->reply.payload;
    switch (type) {
    case CONSOLE_RUN: return finish_run(d, reply);
    case CONSOLE_REPLAY: return finish_replay(d, reply);
    case CONSOLE_SCORE: return finish_score(d, reply);
    default: return CONSOLE_ERR_UNKNOWN_MESSAGE;
    }
}
