/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#include "gradmote.h"
#include "console_spec.h"

const console_help console_commands[CONSOLE_COMMAND_COUNT] = {
    { "help", "", "list the commands" },
    { "info", "", "firmware, model, programs and counters" },
    { "mem", "", "bytes of RAM, stack and flash in use" },
    { "lr", "[RATE]", "show the learning rate, or set it and end the schedule" },
    { "train", "[STEPS|on|off]", "train on the store's samples, else on those sent last (1 step); on: whenever idle; Ctrl-C stops" },
    { "eval", "", "print the loss on the samples sent last" },
    { "infer", "", "print the outputs for the samples sent last, and the class of the first" },
    { "learn", "LABEL", "store the first of the samples sent last, as one of class LABEL" },
    { "forget", "LABEL", "drop the store's samples of class LABEL" },
    { "score", "", "how many of the store's samples the model recognizes, by class" },
    { "save", "[every N|off]", "save parameters, moments and counters in flash; every N: after every N updates" },
    { "load", "", "return to the checkpoint saved last" },
    { "export", "", "print the trained model, an .onnx file, as base64 for uudecode; Ctrl-C stops" },
    { "round", "[N]", "show the round of federated learning, or make the parameters the base of round N; 0: the image's are" },
    { "delta", "", "bytes that the board would send in this round, with 8, 4 and 2 bits per number" },
    { "reset", "[model]", "restart the board; 'reset model' only forgets what was learned" },
};

const char *console_error_text(int error)
{
    switch (error) {
    case CONSOLE_ERR_BAD_FRAME: return "a frame arrived damaged or incomplete and was dropped";
    case CONSOLE_ERR_UNKNOWN_MESSAGE: return "this firmware does not know the message";
    case CONSOLE_ERR_BAD_PAYLOAD: return "the payload is not as long as the message requires, or a field is out of range";
    case CONSOLE_ERR_NO_IMAGE: return "the board has no model";
    case CONSOLE_ERR_NO_SAMPLES: return "there are no samples to run on";
    case CONSOLE_ERR_TOO_LARGE: return "the file is larger than the board's storage for it";
    case CONSOLE_ERR_OUT_OF_ORDER: return "the parts of a file arrived out of order or incomplete";
    case CONSOLE_ERR_FLASH: return "erasing or programming the flash failed";
    case CONSOLE_ERR_NO_CHECKPOINT: return "the board has no checkpoint of this model";
    case CONSOLE_ERR_BAD_ARGUMENT: return "the command does not take this argument";
    case CONSOLE_ERR_NO_ROOM_TO_UPDATE: return "the storage for images has no room for this image beside the old one";
    case CONSOLE_ERR_NO_ROOM_TO_CARRY: return "the storage for checkpoints has no room for the new model's beside the old one's";
    case CONSOLE_ERR_UNSIGNED: return "the image is not signed";
    case CONSOLE_ERR_OTHER_KEY: return "the image is signed by another key";
    case CONSOLE_ERR_BAD_SIGNATURE: return "the signature does not match the image";
    case CONSOLE_ERR_OLDER_IMAGE: return "the image is older than the one on this board";
    case CONSOLE_ERR_ONLY_BY_UPDATE: return "this firmware takes another image only while the old one runs, to compare their numbers";
    case CONSOLE_ERR_NO_ROOM_FOR_BASE: return "the storage for checkpoints has no room for another beside the round's base and the last one";
    case CONSOLE_ERR_NO_EXPORT_TABLE: return "there is no export table after the board's image";
    default: return gm_error_text(error);
    }
}

const char *console_error_hint(int error)
{
    switch (error) {
    case CONSOLE_ERR_BAD_FRAME: return "send it again; if it persists, lower the baud rate or check the cable";
    case CONSOLE_ERR_UNKNOWN_MESSAGE: return "build and flash the firmware of this gradmote version";
    case CONSOLE_ERR_BAD_PAYLOAD: return "build and flash the firmware of this gradmote version";
    case CONSOLE_ERR_NO_IMAGE: return "send one: gradmote train model.mote --data data.npz --on PORT";
    case CONSOLE_ERR_NO_SAMPLES: return "send inputs, and labels for training and evaluation, before the first run; if the image overwrites inputs, before each run";
    case CONSOLE_ERR_TOO_LARGE: return "compile a smaller model, or enlarge the area in the board file";
    case CONSOLE_ERR_OUT_OF_ORDER: return "transfer the file again from its beginning";
    case CONSOLE_ERR_FLASH: return "try again; if it persists, the flash is worn out or write-protected";
    case CONSOLE_ERR_NO_CHECKPOINT: return "save one first";
    case CONSOLE_ERR_BAD_ARGUMENT: return "type help";
    case CONSOLE_ERR_NO_ROOM_TO_UPDATE: return "replace the old one, with the whole storage to use: gradmote train, without --carry-over";
    case CONSOLE_ERR_NO_ROOM_TO_CARRY: return "update without it: gradmote update --fresh; Session.save() and carry_over() do the same on the host";
    case CONSOLE_ERR_UNSIGNED: return "sign it with this firmware's key: gradmote sign model.mote --key key.pem";
    case CONSOLE_ERR_OTHER_KEY: return "sign it with this firmware's key: gradmote sign model.mote --key key.pem";
    case CONSOLE_ERR_BAD_SIGNATURE: return "sign it with this firmware's key: gradmote sign model.mote --key key.pem";
    case CONSOLE_ERR_OLDER_IMAGE: return "give it a higher number: gradmote compile --image-version N; then sign it";
    case CONSOLE_ERR_ONLY_BY_UPDATE: return "send it with: gradmote update model.mote --on PORT";
    case CONSOLE_ERR_NO_ROOM_FOR_BASE: return "end the round first, or give up its base: round 0";
    case CONSOLE_ERR_NO_EXPORT_TABLE: return "send it with the image: gradmote flash --export-table; or export on the host: gradmote export model.onnx --from PORT";
    default: return gm_error_hint(error);
    }
}
