#include "console/messages.h"

#include "board.h"
#include "console/handlers.h"
#include "console/reply.h"

typedef struct message {
    handler handle;
    uint8_t request_size; /* of the fixed part */
    uint8_t open_ended;   /* 1: more may follow it */
} message;

static int handle_reboot(device *d, const uint8_t *payload, uint32_t length)
{
    (void)payload;
    (void)length;
    frame_send(CONSOLE_REBOOT | CONSOLE_REPLY_BIT, frame_sequence(&d->receiver), NULL, 0);
    board_reset();
    return HANDLER_LATER;
}

static const message messages[CONSOLE_MESSAGE_LIMIT] = {
    [CONSOLE_INFO] = { handle_info, CONSOLE_INFO_REQUEST_SIZE, 0 },
    [CONSOLE_MEM] = { handle_mem, CONSOLE_MEM_REQUEST_SIZE, 0 },
    [CONSOLE_IMAGE_BEGIN] = { handle_image_begin, CONSOLE_IMAGE_BEGIN_REQUEST_SIZE, 0 },
    [CONSOLE_IMAGE_DATA] = { handle_image_data, CONSOLE_IMAGE_DATA_REQUEST_SIZE, 1 },
    [CONSOLE_IMAGE_END] = { handle_image_end, CONSOLE_IMAGE_END_REQUEST_SIZE, 0 },
    [CONSOLE_DESCRIBE] = { handle_describe, CONSOLE_DESCRIBE_REQUEST_SIZE, 0 },
    [CONSOLE_DATA] = { handle_data, CONSOLE_DATA_REQUEST_SIZE, 1 },
    [CONSOLE_DATA_U8] = { handle_data_u8, CONSOLE_DATA_U8_REQUEST_SIZE, 1 },
    [CONSOLE_RUN] = { handle_run, CONSOLE_RUN_REQUEST_SIZE, 0 },
    [CONSOLE_METRICS] = { handle_metrics, CONSOLE_METRICS_REQUEST_SIZE, 0 },
    [CONSOLE_READ] = { handle_read, CONSOLE_READ_REQUEST_SIZE, 0 },
    [CONSOLE_LEARNING_RATE] = { handle_learning_rate, CONSOLE_LEARNING_RATE_REQUEST_SIZE, 0 },
    [CONSOLE_SCHEDULE] = { handle_schedule, CONSOLE_SCHEDULE_REQUEST_SIZE, 0 },
    [CONSOLE_SEED] = { handle_seed, CONSOLE_SEED_REQUEST_SIZE, 0 },
    [CONSOLE_LAZY_RESET] = { handle_lazy_reset, CONSOLE_LAZY_RESET_REQUEST_SIZE, 0 },
    [CONSOLE_SAVE] = { handle_save, CONSOLE_SAVE_REQUEST_SIZE, 0 },
    [CONSOLE_LOAD] = { handle_load, CONSOLE_LOAD_REQUEST_SIZE, 0 },
    [CONSOLE_CHECKPOINT_BEGIN] = { handle_checkpoint_begin, CONSOLE_CHECKPOINT_BEGIN_REQUEST_SIZE, 0 },
    [CONSOLE_CHECKPOINT_DATA] = { handle_checkpoint_data, CONSOLE_CHECKPOINT_DATA_REQUEST_SIZE, 1 },
    [CONSOLE_CHECKPOINT_END] = { handle_checkpoint_end, CONSOLE_CHECKPOINT_END_REQUEST_SIZE, 0 },
    [CONSOLE_RESET_STATE] = { handle_reset_state, CONSOLE_RESET_STATE_REQUEST_SIZE, 0 },
    [CONSOLE_STORE] = { handle_store, CONSOLE_STORE_REQUEST_SIZE, 0 },
    [CONSOLE_STORE_CLASS] = { handle_store_class, CONSOLE_STORE_CLASS_REQUEST_SIZE, 0 },
    [CONSOLE_LEARN] = { handle_learn, CONSOLE_LEARN_REQUEST_SIZE, 0 },
    [CONSOLE_FORGET] = { handle_forget, CONSOLE_FORGET_REQUEST_SIZE, 0 },
    [CONSOLE_REPLAY] = { handle_replay, CONSOLE_REPLAY_REQUEST_SIZE, 0 },
    [CONSOLE_SCORE] = { handle_score, CONSOLE_SCORE_REQUEST_SIZE, 0 },
    [CONSOLE_IDLE_TRAINING] = { handle_idle_training, CONSOLE_IDLE_TRAINING_REQUEST_SIZE, 0 },
    [CONSOLE_IMAGE_RESUME] = { handle_image_resume, CONSOLE_IMAGE_RESUME_REQUEST_SIZE, 0 },
#if BOARD_UPDATES
    [CONSOLE_UPDATE_BEGIN] = { handle_update_begin, CONSOLE_UPDATE_BEGIN_REQUEST_SIZE, 0 },
    [CONSOLE_UPDATE_END] = { handle_update_end, CONSOLE_UPDATE_END_REQUEST_SIZE, 0 },
#endif
    [CONSOLE_SAVE_EVERY] = { handle_save_every, CONSOLE_SAVE_EVERY_REQUEST_SIZE, 0 },
    [CONSOLE_SAVES] = { handle_saves, CONSOLE_SAVES_REQUEST_SIZE, 0 },
    [CONSOLE_REBOOT] = { handle_reboot, CONSOLE_REBOOT_REQUEST_SIZE, 0 },
};

static void send_reply(const reply *r)
{
    frame_send(r->type, r->sequence, r->payload, r->length);
}

/* Sends what the handler appended, or the error in its place. */
static void answer(device *d, int error)
{
    d->reply.type = (uint8_t)(d->reply.request | CONSOLE_REPLY_BIT);
    if (error < 0) {
        d->reply.type = CONSOLE_ERROR_TYPE;
        d->reply.length = 0;
        reply_u32(&d->reply, (uint32_t)error);
    }
    send_reply(&d->reply);
}

static int dispatch(device *d, uint8_t type)
{
    uint32_t length = frame_length(&d->receiver);
    if (type >= CONSOLE_MESSAGE_LIMIT || messages[type].handle == NULL) {
        return CONSOLE_ERR_UNKNOWN_MESSAGE;
    }
    const message *m = &messages[type];
    if (length < m->request_size || (length > m->request_size && !m->open_ended)) {
        return CONSOLE_ERR_BAD_PAYLOAD;
    }
    return m->handle(d, frame_payload(&d->receiver), length);
}

/* A request that comes twice was answered, but the answer got lost: repeat that, not the work. */
static int is_repeat(const device *d, uint8_t type, uint8_t sequence)
{
    return type != CONSOLE_INFO && d->reply.type != 0 && d->reply.request == type && d->reply.sequence == sequence;
}

void messages_handle(device *d)
{
    uint8_t type = frame_type(&d->receiver);
    uint8_t sequence = frame_sequence(&d->receiver);
    if (is_repeat(d, type, sequence)) {
        send_reply(&d->reply);
    } else {
        d->reply.type = 0;
        d->reply.request = type;
        d->reply.sequence = sequence;
        d->reply.length = 0;
        int result = dispatch(d, type);
        if (result != HANDLER_LATER) {
            answer(d, result);
        }
    }
}

void messages_run_ended(device *d, int error)
{
    int result = error;
    if (error == 0) {
        result = d->reply.request == CONSOLE_SCORE ? handle_scored(d) : handle_metrics(d, NULL, 0);
    }
    if (result != HANDLER_LATER) {
        answer(d, result);
    }
}

void messages_report_damage(void)
{
    uint8_t code[4];
    store_u32(code, (uint32_t)CONSOLE_ERR_BAD_FRAME);
    frame_send(CONSOLE_ERROR_TYPE, 0, code, sizeof code);
}

void messages_report_alive(device *d)
{
    uint8_t instructions[4];
    if (board_ticks() - d->last_alive < BOARD_TICKS_PER_SECOND / 2) {
        return;
    }
    d->last_alive = board_ticks();
    int waits = d->requester != REQUESTER_FRAME; /* a request, for the end of another's step */
    uint8_t sequence = waits ? frame_sequence(&d->receiver) : d->reply.sequence;
    store_u32(instructions, d->model.session.instructions - d->run.first_instruction);
    frame_send(CONSOLE_ALIVE_TYPE, sequence, instructions, sizeof instructions);
}
