#include "console/messages.h"

#include "board.h"
#include "console/bytes.h"
#include "console_handlers.h"

int handle_reboot(device *d)
{
    frame_send(CONSOLE_REBOOT | CONSOLE_REPLY_BIT, frame_sequence(&d->receiver), NULL, 0);
    board_reset();
    return HANDLER_LATER;
}

static void send_reply(const reply *r)
{
    frame_send(r->type, r->sequence, r->payload, r->length);
}

/* Sends the reply that the handler filled in, or an error instead. */
static void answer(device *d, int error)
{
    d->reply.type = (uint8_t)(d->reply.request | CONSOLE_REPLY_BIT);
    if (error < 0) {
        d->reply.type = CONSOLE_ERROR_TYPE;
        d->reply.length = sizeof(uint32_t);
        store_u32(d->reply.payload, (uint32_t)error);
    }
    send_reply(&d->reply);
}

/* Checks the length of a request, and calls its handler. */
static int dispatch(device *d, uint8_t type)
{
    uint32_t length = frame_length(&d->receiver);
    if (type >= CONSOLE_MESSAGE_LIMIT || !console_messages[type].is_known) {
        return CONSOLE_ERR_UNKNOWN_MESSAGE;
    }
    const console_message *m = &console_messages[type];
    if (length < m->request_size || (length > m->request_size && !m->is_open)) {
        return CONSOLE_ERR_BAD_PAYLOAD;
    }
    d->reply.length = m->reply_size;
    return console_handle(d, type, frame_payload(&d->receiver), length);
}

int messages_reply_at_end(device *d, int error)
{
    if (error) {
        return error;
    }
    d->requester = REQUESTER_FRAME;
    d->last_alive = board_ticks();
    return HANDLER_LATER;
}

/* A repeated request was answered, but the answer was lost: send it again, without repeating the
 * work. */
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
        int result = dispatch(d, type);
        if (result != HANDLER_LATER) {
            answer(d, result);
        }
    }
}

void messages_run_ended(device *d, int error)
{
    int result = error ? error : console_finish(d, d->reply.request);
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
    int waits = d->requester != REQUESTER_FRAME; /* the request waits for another program to end */
    uint8_t sequence = waits ? frame_sequence(&d->receiver) : d->reply.sequence;
    store_u32(instructions, d->model.session.instructions - d->run.first_instruction);
    frame_send(CONSOLE_ALIVE_TYPE, sequence, instructions, sizeof instructions);
}
