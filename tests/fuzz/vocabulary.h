/* What a host and a person may say to a board: the lengths of requests, and lines that are typed. */
#ifndef VOCABULARY_H
#define VOCABULARY_H

#include <stdint.h>

#include "../../firmware/generated/console_spec.h"

/* Bytes of the fixed part; 0 of a message that there is not. */
static inline uint32_t request_size_of(uint32_t type)
{
    return type < CONSOLE_MESSAGE_LIMIT ? console_messages[type].request_size : 0;
}

static const char *const typed_lines[] = {
    "help\r",
    "info\r",
    "mem\r",
    "lr\r",
    "lr 0.25\r",
    "lr 1e-60\r",
    "train\r",
    "train 3\r",
    "eval\r",
    "infer\r",
    "save\r",
    "load\r",
    "reset\r",
    "reset model\r",
    "\x03",
    "x\b\x15y\r",
    "train 4294967295\r",
    "learn 1\r",
    "forget 1\r",
    "score\r",
    "export\r",
    "train on\r",
    "train off\r",
};

#define TYPED_LINES ((uint32_t)(sizeof typed_lines / sizeof *typed_lines))

#endif
