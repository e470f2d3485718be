/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef CONSOLE_SPEC_H
#define CONSOLE_SPEC_H

#define CONSOLE_PROTOCOL 1u
#define CONSOLE_START 1u
#define CONSOLE_REPLY_BIT 128u
#define CONSOLE_ERROR_TYPE 255u
#define CONSOLE_ALIVE_TYPE 254u
#define CONSOLE_HEADER_SIZE 5u
#define CONSOLE_TRAILER_SIZE 4u
#define CONSOLE_PAYLOAD_LIMIT 1024u
#define CONSOLE_BYTE_TIMEOUT_MS 100u
#define CONSOLE_IDLE_MS 1000u

#define CONSOLE_IDENTITY_MARK "gradmote-board:"

enum console_error {
    CONSOLE_ERR_BAD_FRAME = -100, /* a frame arrived damaged or incomplete and was dropped */
    CONSOLE_ERR_UNKNOWN_MESSAGE = -101, /* this firmware does not know the message */
    CONSOLE_ERR_BAD_PAYLOAD = -102, /* the payload is not as long as the message requires, or a field is out of range */
    CONSOLE_ERR_NO_IMAGE = -103, /* the board has no model */
    CONSOLE_ERR_NO_SAMPLES = -104, /* there are no samples to run on */
    CONSOLE_ERR_TOO_LARGE = -105, /* the file is larger than the board's storage for it */
    CONSOLE_ERR_OUT_OF_ORDER = -106, /* the parts of a file came in the wrong order or incomplete */
    CONSOLE_ERR_FLASH = -107, /* erasing or programming the flash failed */
    CONSOLE_ERR_NO_CHECKPOINT = -108, /* the board holds no checkpoint of this model */
    CONSOLE_ERR_BAD_ARGUMENT = -109, /* the command does not take this argument */
    CONSOLE_ERR_NO_ROOM_TO_UPDATE = -110, /* the storage for images does not hold this image beside the one that runs */
    CONSOLE_ERR_NO_ROOM_TO_CARRY = -111, /* the storage for checkpoints does not hold one of the new model beside that of the old one */
    CONSOLE_ERR_UNSIGNED = -117, /* the image is not signed */
    CONSOLE_ERR_OTHER_KEY = -118, /* the image is signed by another key */
    CONSOLE_ERR_BAD_SIGNATURE = -119, /* the signature is not that of the image */
    CONSOLE_ERR_OLDER_IMAGE = -120, /* the image is older than the one that this board has */
    CONSOLE_ERR_ONLY_BY_UPDATE = -121, /* this firmware takes another image only while the old one runs, which tells it how old that is */
};

enum console_source { CONSOLE_SOURCE_TENSOR, CONSOLE_SOURCE_PARAMETERS, CONSOLE_SOURCE_PARAMETER, CONSOLE_SOURCE_GRADIENT, CONSOLE_SOURCE_STATE, CONSOLE_SOURCE_CHECKPOINT, CONSOLE_SOURCE_IMAGE, CONSOLE_SOURCE_CHECKPOINT_HALF };

/* ---- Messages: ids, field offsets in the request, lengths of the fixed parts ------------------------------ */

/* Who is there. Any sequence number is accepted; the reply is never taken from the repeat buffer. */
#define CONSOLE_INFO 1u
#define CONSOLE_INFO_REQUEST_SIZE 0u
#define CONSOLE_INFO_REPLY_SIZE 100u

/* Where the memory goes, in bytes. */
#define CONSOLE_MEM 2u
#define CONSOLE_MEM_REQUEST_SIZE 0u
#define CONSOLE_MEM_REPLY_SIZE 32u

/* Closes the model and erases the image area. */
#define CONSOLE_IMAGE_BEGIN 3u
#define CONSOLE_IMAGE_BEGIN_AT_SIZE 0u
#define CONSOLE_IMAGE_BEGIN_REQUEST_SIZE 4u
#define CONSOLE_IMAGE_BEGIN_REPLY_SIZE 0u

/* The next piece of the image; pieces come in ascending order without gaps. Bytes that came before are passed over. */
#define CONSOLE_IMAGE_DATA 4u
#define CONSOLE_IMAGE_DATA_AT_OFFSET 0u
#define CONSOLE_IMAGE_DATA_AT_DATA 4u
#define CONSOLE_IMAGE_DATA_REQUEST_SIZE 4u
#define CONSOLE_IMAGE_DATA_REPLY_SIZE 0u

/* Verifies and opens the image (gm_open), then loads the checkpoint kept on the board if it is of this model. */
#define CONSOLE_IMAGE_END 5u
#define CONSOLE_IMAGE_END_REQUEST_SIZE 0u
#define CONSOLE_IMAGE_END_REPLY_SIZE 1u

/* The index-th tensor with that role in that program. */
#define CONSOLE_DESCRIBE 6u
#define CONSOLE_DESCRIBE_AT_PROGRAM 0u
#define CONSOLE_DESCRIBE_AT_ROLE 1u
#define CONSOLE_DESCRIBE_AT_INDEX 2u
#define CONSOLE_DESCRIBE_REQUEST_SIZE 4u
#define CONSOLE_DESCRIBE_REPLY_SIZE 31u

/* Writes into an input or label. Samples that last serve every run until others replace them. */
#define CONSOLE_DATA 7u
#define CONSOLE_DATA_AT_ROLE 0u
#define CONSOLE_DATA_AT_INDEX 1u
#define CONSOLE_DATA_AT_OFFSET 3u
#define CONSOLE_DATA_AT_DATA 7u
#define CONSOLE_DATA_REQUEST_SIZE 7u
#define CONSOLE_DATA_REPLY_SIZE 0u

/* The same from bytes q: an f32 tensor gets (q - zero) * scale, in f32; an i32 tensor gets q. */
#define CONSOLE_DATA_U8 8u
#define CONSOLE_DATA_U8_AT_ROLE 0u
#define CONSOLE_DATA_U8_AT_INDEX 1u
#define CONSOLE_DATA_U8_AT_ELEMENT 3u
#define CONSOLE_DATA_U8_AT_SCALE 7u
#define CONSOLE_DATA_U8_AT_ZERO 11u
#define CONSOLE_DATA_U8_AT_DATA 15u
#define CONSOLE_DATA_U8_REQUEST_SIZE 15u
#define CONSOLE_DATA_U8_REPLY_SIZE 0u

/* Runs one program to its end. */
#define CONSOLE_RUN 9u
#define CONSOLE_RUN_AT_PROGRAM 0u
#define CONSOLE_RUN_REQUEST_SIZE 1u
#define CONSOLE_RUN_REPLY_SIZE 32u

/* The reply of the last RUN again. */
#define CONSOLE_METRICS 10u
#define CONSOLE_METRICS_REQUEST_SIZE 0u
#define CONSOLE_METRICS_REPLY_SIZE 32u

/* Reads bytes of an output, the parameters, a gradient, the state, or a stored file. CHECKPOINT_HALF is the kept checkpoint, packed. */
#define CONSOLE_READ 11u
#define CONSOLE_READ_AT_SOURCE 0u
#define CONSOLE_READ_AT_PROGRAM 1u
#define CONSOLE_READ_AT_ROLE 2u
#define CONSOLE_READ_AT_INDEX 3u
#define CONSOLE_READ_AT_OFFSET 5u
#define CONSOLE_READ_AT_LENGTH 9u
#define CONSOLE_READ_REQUEST_SIZE 11u
#define CONSOLE_READ_REPLY_SIZE 4u

/* gm_set_learning_rate: sets the rate and ends any schedule. */
#define CONSOLE_LEARNING_RATE 12u
#define CONSOLE_LEARNING_RATE_AT_RATE 0u
#define CONSOLE_LEARNING_RATE_REQUEST_SIZE 4u
#define CONSOLE_LEARNING_RATE_REPLY_SIZE 0u

/* gm_set_linear_schedule. */
#define CONSOLE_SCHEDULE 13u
#define CONSOLE_SCHEDULE_AT_RATE 0u
#define CONSOLE_SCHEDULE_AT_WARMUP_STEPS 4u
#define CONSOLE_SCHEDULE_AT_TOTAL_STEPS 8u
#define CONSOLE_SCHEDULE_REQUEST_SIZE 12u
#define CONSOLE_SCHEDULE_REPLY_SIZE 0u

/* gm_set_seed. */
#define CONSOLE_SEED 14u
#define CONSOLE_SEED_AT_SEED 0u
#define CONSOLE_SEED_REQUEST_SIZE 4u
#define CONSOLE_SEED_REPLY_SIZE 0u

/* gm_lazy_reset_grad: the next TRAIN starts from zero gradients. */
#define CONSOLE_LAZY_RESET 15u
#define CONSOLE_LAZY_RESET_REQUEST_SIZE 0u
#define CONSOLE_LAZY_RESET_REPLY_SIZE 0u

/* Keeps a checkpoint in flash. The one before stays intact until the new one is complete. */
#define CONSOLE_SAVE 16u
#define CONSOLE_SAVE_REQUEST_SIZE 0u
#define CONSOLE_SAVE_REPLY_SIZE 4u

/* Returns to the checkpoint kept in flash. */
#define CONSOLE_LOAD 17u
#define CONSOLE_LOAD_REQUEST_SIZE 0u
#define CONSOLE_LOAD_REPLY_SIZE 0u

/* Makes room for a checkpoint from the host, plain or packed. */
#define CONSOLE_CHECKPOINT_BEGIN 18u
#define CONSOLE_CHECKPOINT_BEGIN_AT_SIZE 0u
#define CONSOLE_CHECKPOINT_BEGIN_REQUEST_SIZE 4u
#define CONSOLE_CHECKPOINT_BEGIN_REPLY_SIZE 0u

/* The next piece of the checkpoint, as IMAGE_DATA. */
#define CONSOLE_CHECKPOINT_DATA 19u
#define CONSOLE_CHECKPOINT_DATA_AT_OFFSET 0u
#define CONSOLE_CHECKPOINT_DATA_AT_DATA 4u
#define CONSOLE_CHECKPOINT_DATA_REQUEST_SIZE 4u
#define CONSOLE_CHECKPOINT_DATA_REPLY_SIZE 0u

/* Loads it. The state replaces the checkpoint in flash, plain, only if the file is whole and of this model. */
#define CONSOLE_CHECKPOINT_END 20u
#define CONSOLE_CHECKPOINT_END_REQUEST_SIZE 0u
#define CONSOLE_CHECKPOINT_END_REPLY_SIZE 0u

/* gm_reset: back to the image's initial values. A checkpoint in flash stays. */
#define CONSOLE_RESET_STATE 21u
#define CONSOLE_RESET_STATE_REQUEST_SIZE 0u
#define CONSOLE_RESET_STATE_REPLY_SIZE 0u

/* Replies, then restarts the board. */
#define CONSOLE_REBOOT 22u
#define CONSOLE_REBOOT_REQUEST_SIZE 0u
#define CONSOLE_REBOOT_REPLY_SIZE 0u

/* The sample store, and whether the board trains on it when idle. Error NO_STORE where the image has none. */
#define CONSOLE_STORE 23u
#define CONSOLE_STORE_REQUEST_SIZE 0u
#define CONSOLE_STORE_REPLY_SIZE 21u

/* What the store has of one class. */
#define CONSOLE_STORE_CLASS 24u
#define CONSOLE_STORE_CLASS_AT_LABEL 0u
#define CONSOLE_STORE_CLASS_REQUEST_SIZE 4u
#define CONSOLE_STORE_CLASS_REPLY_SIZE 8u

/* gm_learn: the input's first sample goes to the store. */
#define CONSOLE_LEARN 25u
#define CONSOLE_LEARN_AT_LABEL 0u
#define CONSOLE_LEARN_REQUEST_SIZE 4u
#define CONSOLE_LEARN_REPLY_SIZE 0u

/* gm_forget: drops the store's samples of a class. */
#define CONSOLE_FORGET 26u
#define CONSOLE_FORGET_AT_LABEL 0u
#define CONSOLE_FORGET_REQUEST_SIZE 4u
#define CONSOLE_FORGET_REPLY_SIZE 0u

/* As RUN, of STEP or TRAIN, on samples drawn from the store. */
#define CONSOLE_REPLAY 27u
#define CONSOLE_REPLAY_AT_PROGRAM 0u
#define CONSOLE_REPLAY_REQUEST_SIZE 1u
#define CONSOLE_REPLAY_REPLY_SIZE 32u

/* Infers the store's samples of a class. The reply comes when that is done, as that of RUN. */
#define CONSOLE_SCORE 28u
#define CONSOLE_SCORE_AT_LABEL 0u
#define CONSOLE_SCORE_REQUEST_SIZE 4u
#define CONSOLE_SCORE_REPLY_SIZE 8u

/* Whether the board trains on its store when nothing has arrived for idle_ms. Labels, or more than one sample, end it. */
#define CONSOLE_IDLE_TRAINING 29u
#define CONSOLE_IDLE_TRAINING_AT_ON 0u
#define CONSOLE_IDLE_TRAINING_REQUEST_SIZE 1u
#define CONSOLE_IDLE_TRAINING_REPLY_SIZE 0u

/* How far an image came whose transfer broke off, also before a restart. IMAGE_DATA may go on behind what is there. While a model is open: an update's. */
#define CONSOLE_IMAGE_RESUME 30u
#define CONSOLE_IMAGE_RESUME_REQUEST_SIZE 0u
#define CONSOLE_IMAGE_RESUME_REPLY_SIZE 12u

/* Makes room for an image beside the one that runs, which stays open. Its pieces come as IMAGE_DATA. */
#define CONSOLE_UPDATE_BEGIN 31u
#define CONSOLE_UPDATE_BEGIN_AT_SIZE 0u
#define CONSOLE_UPDATE_BEGIN_REQUEST_SIZE 4u
#define CONSOLE_UPDATE_BEGIN_REPLY_SIZE 0u

/* Verifies the image, and only then switches to it: for good, also where power fails meanwhile. An error leaves the model that runs. */
#define CONSOLE_UPDATE_END 32u
#define CONSOLE_UPDATE_END_AT_CARRY 0u
#define CONSOLE_UPDATE_END_REQUEST_SIZE 1u
#define CONSOLE_UPDATE_END_REPLY_SIZE 5u

/* From now on SAVE after each update whose number (optimizer_steps) is a multiple, before its reply. A part of the state. */
#define CONSOLE_SAVE_EVERY 35u
#define CONSOLE_SAVE_EVERY_AT_UPDATES 0u
#define CONSOLE_SAVE_EVERY_REQUEST_SIZE 4u
#define CONSOLE_SAVE_EVERY_REPLY_SIZE 0u

/* What SAVE_EVERY has done since the model was opened. */
#define CONSOLE_SAVES 36u
#define CONSOLE_SAVES_REQUEST_SIZE 0u
#define CONSOLE_SAVES_REPLY_SIZE 16u

#define CONSOLE_MESSAGE_LIMIT 37

/* ---- Commands --------------------------------------------------------------------------------------------- */

enum console_command { CONSOLE_COMMAND_HELP, CONSOLE_COMMAND_INFO, CONSOLE_COMMAND_MEM, CONSOLE_COMMAND_LR, CONSOLE_COMMAND_TRAIN, CONSOLE_COMMAND_EVAL, CONSOLE_COMMAND_INFER, CONSOLE_COMMAND_LEARN, CONSOLE_COMMAND_FORGET, CONSOLE_COMMAND_SCORE, CONSOLE_COMMAND_SAVE, CONSOLE_COMMAND_LOAD, CONSOLE_COMMAND_RESET, CONSOLE_COMMAND_COUNT };

typedef struct console_help {
    const char *name;
    const char *arguments;
    const char *help;
} console_help;

extern const console_help console_commands[CONSOLE_COMMAND_COUNT];

/* One sentence a console code; the runtime's text for all others. */
const char *console_error_text(int error);
const char *console_error_hint(int error);

#endif
