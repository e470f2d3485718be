/* What a host and a person may say to a board: the lengths of requests, and lines that are typed. */
#ifndef VOCABULARY_H
#define VOCABULARY_H

#include <stdint.h>

#include "../../firmware/generated/console_spec.h"

/* Bytes of the fixed part, where there are any. */
static const uint8_t request_size_of[CONSOLE_MESSAGE_LIMIT + 1] = {
    [CONSOLE_IMAGE_BEGIN] = CONSOLE_IMAGE_BEGIN_REQUEST_SIZE,
    [CONSOLE_IMAGE_DATA] = CONSOLE_IMAGE_DATA_REQUEST_SIZE,
    [CONSOLE_DESCRIBE] = CONSOLE_DESCRIBE_REQUEST_SIZE,
    [CONSOLE_DATA] = CONSOLE_DATA_REQUEST_SIZE,
    [CONSOLE_DATA_U8] = CONSOLE_DATA_U8_REQUEST_SIZE,
    [CONSOLE_RUN] = CONSOLE_RUN_REQUEST_SIZE,
    [CONSOLE_READ] = CONSOLE_READ_REQUEST_SIZE,
    [CONSOLE_LEARNING_RATE] = CONSOLE_LEARNING_RATE_REQUEST_SIZE,
    [CONSOLE_SCHEDULE] = CONSOLE_SCHEDULE_REQUEST_SIZE,
    [CONSOLE_SEED] = CONSOLE_SEED_REQUEST_SIZE,
    [CONSOLE_CHECKPOINT_BEGIN] = CONSOLE_CHECKPOINT_BEGIN_REQUEST_SIZE,
    [CONSOLE_CHECKPOINT_DATA] = CONSOLE_CHECKPOINT_DATA_REQUEST_SIZE,
    [CONSOLE_STORE_CLASS] = CONSOLE_STORE_CLASS_REQUEST_SIZE,
    [CONSOLE_LEARN] = CONSOLE_LEARN_REQUEST_SIZE,
    [CONSOLE_FORGET] = CONSOLE_FORGET_REQUEST_SIZE,
    [CONSOLE_REPLAY] = CONSOLE_REPLAY_REQUEST_SIZE,
    [CONSOLE_SCORE] = CONSOLE_SCORE_REQUEST_SIZE,
    [CONSOLE_IDLE_TRAINING] = CONSOLE_IDLE_TRAINING_REQUEST_SIZE,
    [CONSOLE_UPDATE_BEGIN] = CONSOLE_UPDATE_BEGIN_REQUEST_SIZE,
    [CONSOLE_UPDATE_END] = CONSOLE_UPDATE_END_REQUEST_SIZE,
    [CONSOLE_SAVE_EVERY] = CONSOLE_SAVE_EVERY_REQUEST_SIZE,
};

static const char *const typed_lines[] = {
    "help\r", "info\r", "mem\r", "lr\r", "lr 0.25\r", "lr 1e-60\r", "train\r", "train 3\r", "eval\r", "infer\r", "save\r",
    "load\r", "reset\r", "reset model\r", "\x03", "x\b\x15y\r", "train 4294967295\r", "learn 1\r", "forget 1\r",
    "score\r", "train on\r", "train off\r",
};

#define TYPED_LINES ((uint32_t)(sizeof typed_lines / sizeof *typed_lines))

#endif
