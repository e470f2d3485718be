/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef CONSOLE_SPEC_H
#define CONSOLE_SPEC_H

#include <stdint.h>

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
    CONSOLE_ERR_OUT_OF_ORDER = -106, /* the parts of a file arrived out of order or incomplete */
    CONSOLE_ERR_FLASH = -107, /* erasing or programming the flash failed */
    CONSOLE_ERR_NO_CHECKPOINT = -108, /* the board has no checkpoint of this model */
    CONSOLE_ERR_BAD_ARGUMENT = -109, /* the command does not take this argument */
    CONSOLE_ERR_NO_ROOM_TO_UPDATE = -110, /* the storage for images has no room for this image beside the old one */
    CONSOLE_ERR_NO_ROOM_TO_CARRY = -111, /* the storage for checkpoints has no room for the new model's beside the old one's */
    CONSOLE_ERR_UNSIGNED = -117, /* the image is not signed */
    CONSOLE_ERR_OTHER_KEY = -118, /* the image is signed by another key */
    CONSOLE_ERR_BAD_SIGNATURE = -119, /* the signature does not match the image */
    CONSOLE_ERR_OLDER_IMAGE = -120, /* the image is older than the one on this board */
    CONSOLE_ERR_ONLY_BY_UPDATE = -121, /* this firmware takes another image only while the old one runs, to compare their numbers */
    CONSOLE_ERR_NO_ROOM_FOR_BASE = -122, /* the storage for checkpoints has no room for another beside the round's base and the last one */
    CONSOLE_ERR_NO_EXPORT_TABLE = -123, /* there is no export table after the board's image */
};

enum console_source { CONSOLE_SOURCE_TENSOR, CONSOLE_SOURCE_PARAMETERS, CONSOLE_SOURCE_PARAMETER, CONSOLE_SOURCE_GRADIENT, CONSOLE_SOURCE_STATE, CONSOLE_SOURCE_CHECKPOINT, CONSOLE_SOURCE_IMAGE, CONSOLE_SOURCE_CHECKPOINT_HALF, CONSOLE_SOURCE_ONNX, CONSOLE_SOURCE_EXPORT_TABLE };

/* ---- Messages: their ids, and their payloads as they are in a frame ---------------------------------------- */

/* A payload stands at any address, in bytes that are declared as such. A reply stands at a multiple of 4, which makes
 * shorter code if its size is one too. */
#define CONSOLE_PAYLOAD __attribute__((packed, may_alias))
#define CONSOLE_WORDS __attribute__((packed, may_alias, aligned(4)))

/* What the board is. Any sequence number is accepted; the reply is never taken from the repeat buffer. */
#define CONSOLE_INFO 1u

typedef struct CONSOLE_WORDS info_reply {
    uint16_t protocol; /* [frame] protocol */
    uint16_t frame_limit; /* longest payload that this board takes and sends, bytes */
    uint8_t version[3]; /* of the runtime: major, minor, patch */
    uint8_t profile; /* numerics: 1 fused, 0 strict */
    uint32_t format; /* image format version that it reads */
    uint32_t ticks_per_second; /* of METRICS.ticks */
    int32_t image_status; /* 0: a model is open; else the code that gm_open or the console gave */
    uint32_t image_size; /* bytes; this and the next seven are 0 without a model */
    uint32_t programs; /* bit p: program kind p is present */
    uint32_t batch; /* samples in one step */
    uint32_t arena_required; /* bytes */
    uint32_t state_size; /* bytes */
    uint32_t parameters_size; /* bytes */
    uint32_t gradients_size; /* bytes */
    uint8_t model_id[16];
    uint32_t arena_available; /* bytes */
    uint32_t image_area; /* bytes of storage for an image */
    uint32_t checkpoint_area; /* bytes of storage for one checkpoint */
    uint32_t checkpoint_size; /* bytes of the checkpoint kept on the board; 0: none */
    uint32_t line_errors; /* damaged frames since start-up */
    uint64_t unique_id; /* distinguishes this part from others of its kind; 0 if nothing does */
    uint8_t key_id[8]; /* images must be signed by the key that begins with these; zeros if they need not be */
    char board[];
} info_reply;

/* How the memory is divided, in bytes. */
#define CONSOLE_MEM 2u

typedef struct CONSOLE_WORDS mem_reply {
    uint32_t ram; /* all of it: static + stack + arena_available */
    uint32_t static_ram; /* .data and .bss, with the buffers of the console */
    uint32_t stack_size;
    uint32_t stack_used; /* most ever used since start-up */
    uint32_t arena_available;
    uint32_t arena_required; /* of the model */
    uint32_t code; /* program and constants in flash */
    uint32_t image; /* model in flash */
} mem_reply;

/* Closes the model and erases the image area. */
#define CONSOLE_IMAGE_BEGIN 3u

typedef struct CONSOLE_PAYLOAD image_begin_request {
    uint32_t size; /* bytes of the image */
} image_begin_request;

/* The next chunk of the image; chunks come in ascending order without gaps. Bytes that came before are ignored. */
#define CONSOLE_IMAGE_DATA 4u

typedef struct CONSOLE_PAYLOAD image_data_request {
    uint32_t offset; /* multiple of 4 */
    uint8_t data[]; /* a multiple of 4, except in the last chunk */
} image_data_request;

/* Verifies and opens the image (gm_open), then loads the checkpoint kept on the board if it is of this model. */
#define CONSOLE_IMAGE_END 5u

typedef struct CONSOLE_PAYLOAD image_end_reply {
    uint8_t checkpoint; /* 1: a checkpoint was loaded */
} image_end_reply;

/* The index-th tensor with that role in that program. */
#define CONSOLE_DESCRIBE 6u

typedef struct CONSOLE_PAYLOAD describe_request {
    uint8_t program;
    uint8_t role;
    uint16_t index;
} describe_request;

typedef struct CONSOLE_PAYLOAD describe_reply {
    uint8_t dtype;
    uint8_t rank;
    uint8_t lasts; /* 0: a run writes over it */
    uint32_t size; /* bytes */
    uint32_t dims[6]; /* unused ones are 1 */
    char name[];
} describe_reply;

/* Writes into an input or label. Samples that last serve every run until others replace them. */
#define CONSOLE_DATA 7u

typedef struct CONSOLE_PAYLOAD data_request {
    uint8_t role;
    uint16_t index;
    uint32_t offset; /* bytes into the tensor */
    uint8_t data[];
} data_request;

/* As DATA, from bytes q: an f32 tensor gets (q - zero) * scale, in f32; an i32 or u8 tensor gets q; an i8 tensor gets the bits of q. */
#define CONSOLE_DATA_U8 8u

typedef struct CONSOLE_PAYLOAD data_u8_request {
    uint8_t role;
    uint16_t index;
    uint32_t element; /* first element to write */
    float scale;
    float zero;
    uint8_t data[];
} data_u8_request;

/* Runs one program to its end. */
#define CONSOLE_RUN 9u

typedef struct CONSOLE_PAYLOAD run_request {
    uint8_t program; /* enum program */
} run_request;

typedef struct CONSOLE_WORDS run_reply {
    float loss; /* of the last EVAL, TRAIN or STEP; NaN before the first */
    uint32_t train_steps;
    uint32_t optimizer_steps;
    uint32_t skipped_steps;
    float learning_rate; /* of the next update */
    uint32_t instructions; /* image instructions that the last run took */
    uint64_t ticks; /* timer ticks that the last run took, serial line excluded */
} run_reply;

/* The reply of the last RUN again. */
#define CONSOLE_METRICS 10u

/* Reads bytes of an output, the parameters, a gradient, the state, or a stored file. CHECKPOINT_HALF is the kept checkpoint, packed; ONNX is the .onnx file of the model in it, made with the export table. */
#define CONSOLE_READ 11u

typedef struct CONSOLE_PAYLOAD read_request {
    uint8_t source; /* enum source */
    uint8_t program; /* of a TENSOR */
    uint8_t role; /* of a TENSOR */
    uint16_t index; /* of a TENSOR, PARAMETER or GRADIENT */
    uint32_t offset; /* bytes */
    uint16_t length; /* most bytes wanted; fewer come at the end */
} read_request;

typedef struct CONSOLE_WORDS read_reply {
    uint32_t total; /* bytes of the whole */
    uint8_t data[];
} read_reply;

/* gm_set_learning_rate: sets the rate and ends any schedule. */
#define CONSOLE_LEARNING_RATE 12u

typedef struct CONSOLE_PAYLOAD learning_rate_request {
    float rate;
} learning_rate_request;

/* gm_set_linear_schedule. */
#define CONSOLE_SCHEDULE 13u

typedef struct CONSOLE_PAYLOAD schedule_request {
    float rate;
    uint32_t warmup_steps;
    uint32_t total_steps;
} schedule_request;

/* gm_set_seed. */
#define CONSOLE_SEED 14u

typedef struct CONSOLE_PAYLOAD seed_request {
    uint32_t seed;
} seed_request;

/* gm_lazy_reset_grad: the next TRAIN starts from zero gradients. */
#define CONSOLE_LAZY_RESET 15u

/* Keeps a checkpoint in flash. The one before stays intact until the new one is complete. */
#define CONSOLE_SAVE 16u

typedef struct CONSOLE_WORDS save_reply {
    uint32_t size; /* bytes; READ CHECKPOINT returns them */
} save_reply;

/* Returns to the checkpoint kept in flash. */
#define CONSOLE_LOAD 17u

/* Makes room for a checkpoint from the host, plain or packed. */
#define CONSOLE_CHECKPOINT_BEGIN 18u

typedef struct CONSOLE_PAYLOAD checkpoint_begin_request {
    uint32_t size; /* bytes of the checkpoint */
} checkpoint_begin_request;

/* The next chunk of the checkpoint, as IMAGE_DATA. */
#define CONSOLE_CHECKPOINT_DATA 19u

typedef struct CONSOLE_PAYLOAD checkpoint_data_request {
    uint32_t offset; /* multiple of 4 */
    uint8_t data[]; /* a multiple of 4, except in the last chunk */
} checkpoint_data_request;

/* Loads it. The state replaces the checkpoint in flash, plain, only if the file is whole and of this model. */
#define CONSOLE_CHECKPOINT_END 20u

/* gm_reset: back to the image's initial values. A checkpoint in flash stays. */
#define CONSOLE_RESET_STATE 21u

/* Replies, then restarts the board. */
#define CONSOLE_REBOOT 22u

/* The sample store, and whether the board trains on it when idle. Error NO_STORE if the image has none. */
#define CONSOLE_STORE 23u

typedef struct CONSOLE_PAYLOAD store_reply {
    uint32_t capacity; /* samples */
    uint32_t classes; /* labels are 0 .. classes - 1 */
    uint32_t dtype; /* enum store_dtype */
    uint32_t elements; /* of one sample */
    uint32_t kept; /* samples in the store */
    uint8_t idle; /* 1: trains when idle */
} store_reply;

/* How many samples of one class the store has. */
#define CONSOLE_STORE_CLASS 24u

typedef struct CONSOLE_PAYLOAD store_class_request {
    uint32_t label;
} store_class_request;

typedef struct CONSOLE_WORDS store_class_reply {
    uint32_t seen; /* samples learned */
    uint32_t kept; /* of them in the store */
} store_class_reply;

/* gm_learn: the input's first sample goes to the store. */
#define CONSOLE_LEARN 25u

typedef struct CONSOLE_PAYLOAD learn_request {
    uint32_t label;
} learn_request;

/* gm_forget: drops the store's samples of a class. */
#define CONSOLE_FORGET 26u

typedef struct CONSOLE_PAYLOAD forget_request {
    uint32_t label;
} forget_request;

/* As RUN, of STEP or TRAIN, on samples drawn from the store. */
#define CONSOLE_REPLAY 27u

typedef struct CONSOLE_PAYLOAD replay_request {
    uint8_t program; /* enum program */
} replay_request;

/* Infers the store's samples of a class. The reply comes when that is done, as that of RUN. */
#define CONSOLE_SCORE 28u

typedef struct CONSOLE_PAYLOAD score_request {
    uint32_t label;
} score_request;

typedef struct CONSOLE_WORDS score_reply {
    uint32_t kept; /* samples of the class in the store */
    uint32_t right; /* of them recognized */
} score_reply;

/* Whether the board trains on its store when nothing has arrived for idle_ms. Labels, or more than one sample, end it. */
#define CONSOLE_IDLE_TRAINING 29u

typedef struct CONSOLE_PAYLOAD idle_training_request {
    uint8_t on; /* 0 or 1 */
} idle_training_request;

/* How much of an image arrived before its transfer broke off, even before a restart. IMAGE_DATA may go on after that. While a model is open: of an update. */
#define CONSOLE_IMAGE_RESUME 30u

typedef struct CONSOLE_WORDS image_resume_reply {
    uint32_t size; /* bytes of the whole image; 0 if none is on its way */
    uint32_t received; /* bytes that are there */
    uint32_t crc; /* CRC-32 of these, which shows whether they are of the same image */
} image_resume_reply;

/* Makes room for an image beside the one that runs, which stays open. Its chunks come as IMAGE_DATA. */
#define CONSOLE_UPDATE_BEGIN 31u

typedef struct CONSOLE_PAYLOAD update_begin_request {
    uint32_t size; /* bytes of the image */
} update_begin_request;

/* Verifies the image, and only then switches to it: for good, even if power fails meanwhile. After an error the old model still runs. */
#define CONSOLE_UPDATE_END 32u

typedef struct CONSOLE_PAYLOAD update_end_request {
    uint8_t carry; /* 1: keeps the old model's state in flash, and carries over what fits by name, dtype and shape */
} update_end_request;

typedef struct CONSOLE_PAYLOAD update_end_reply {
    uint8_t checkpoint; /* 1: flash has a checkpoint of the new model */
    uint32_t carried; /* entries of the state that were carried over; 0 if all of it is of the same model */
} update_end_reply;

/* From now on does SAVE after each update whose number (optimizer_steps) is a multiple, before the reply. This is part of the state. */
#define CONSOLE_SAVE_EVERY 35u

typedef struct CONSOLE_PAYLOAD save_every_request {
    uint32_t updates; /* 0: never */
} save_every_request;

/* What SAVE_EVERY has done since the model was opened. */
#define CONSOLE_SAVES 36u

typedef struct CONSOLE_WORDS saves_reply {
    uint32_t every; /* updates; 0: never */
    uint32_t slots; /* checkpoint slots in flash, which are written in turn */
    uint32_t saves; /* checkpoints kept */
    int32_t error; /* why the last one failed, or 0; training goes on */
} saves_reply;

/* The round of federated learning that the board is in. */
#define CONSOLE_ROUND 37u

typedef struct CONSOLE_WORDS round_reply {
    uint32_t number; /* of its base; 0: the image's initial parameters are the base */
} round_reply;

/* Makes the parameters as they are the base of a round, and keeps them in flash as SAVE does. */
#define CONSOLE_ROUND_BEGIN 38u

typedef struct CONSOLE_PAYLOAD round_begin_request {
    uint32_t number; /* 1 or more; 0: from now on the image's initial parameters are the base */
} round_begin_request;

/* Reads bytes of the quantized difference of the parameters from the base (gm_round_delta_part). */
#define CONSOLE_DELTA 39u

typedef struct CONSOLE_PAYLOAD delta_request {
    uint8_t bits; /* of each number: 2, 4 or 8 */
    uint32_t seed; /* of the rounding */
    uint32_t offset; /* bytes */
    uint16_t length; /* most bytes wanted; fewer come at the end */
    uint8_t shared[]; /* bit i % 8 of byte i / 8: parameter i is sent; empty: all are */
} delta_request;

typedef struct CONSOLE_WORDS delta_reply {
    uint32_t total; /* bytes of the whole */
    uint8_t data[];
} delta_reply;

/* Makes room for the delta that leads to the next base: in memory of programs, whose outputs it overwrites. */
#define CONSOLE_DELTA_BEGIN 40u

typedef struct CONSOLE_PAYLOAD delta_begin_request {
    uint32_t size; /* bytes of the delta */
} delta_begin_request;

/* The next chunk of the delta; chunks come in ascending order without gaps. Bytes that came before are ignored. */
#define CONSOLE_DELTA_DATA 41u

typedef struct CONSOLE_PAYLOAD delta_data_request {
    uint32_t offset; /* bytes */
    uint8_t data[];
} delta_data_request;

/* Checks the delta, keeps the next base in flash, and only then changes the parameters (gm_round_apply). */
#define CONSOLE_DELTA_END 42u

typedef struct CONSOLE_PAYLOAD delta_end_request {
    uint8_t bits; /* of the board's own delta of this round, to keep what that lost; 0: nothing is kept */
    uint32_t seed; /* of the board's own delta */
} delta_end_request;

typedef struct CONSOLE_WORDS delta_end_reply {
    uint32_t number; /* of the next round */
} delta_end_reply;

/* What the firmware's runtime has. The board refuses an image that needs more, so a host checks before it sends one. */
#define CONSOLE_BUILD 43u

typedef struct CONSOLE_WORDS build_reply {
    uint32_t parts; /* bit 0: training, 1: the sample store, 2: int8, 3: moments of bfloat16 */
    uint32_t rules; /* bit r: update rule r */
    uint8_t opcodes[32]; /* bit o % 8 of byte o / 8: opcode o */
} build_reply;

#define CONSOLE_MESSAGE_LIMIT 44

typedef struct console_message {
    uint8_t is_known;     /* 1: this board has a handler of it */
    uint8_t is_open;      /* 1: a request may be longer than its fixed part */
    uint8_t request_size; /* bytes of the fixed part */
    uint8_t reply_size;   /* bytes of the fixed part */
} console_message;

extern const console_message console_messages[CONSOLE_MESSAGE_LIMIT];

/* ---- Commands --------------------------------------------------------------------------------------------- */

enum console_command { CONSOLE_COMMAND_HELP, CONSOLE_COMMAND_INFO, CONSOLE_COMMAND_MEM, CONSOLE_COMMAND_LR, CONSOLE_COMMAND_TRAIN, CONSOLE_COMMAND_EVAL, CONSOLE_COMMAND_INFER, CONSOLE_COMMAND_LEARN, CONSOLE_COMMAND_FORGET, CONSOLE_COMMAND_SCORE, CONSOLE_COMMAND_SAVE, CONSOLE_COMMAND_LOAD, CONSOLE_COMMAND_EXPORT, CONSOLE_COMMAND_ROUND, CONSOLE_COMMAND_DELTA, CONSOLE_COMMAND_RESET, CONSOLE_COMMAND_COUNT };

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
