// Rendered from runtime_c/spec by `scons render`; do not edit.

export const PROTOCOL = 0x1;
export const START = 0x1;
export const REPLY_BIT = 0x80;
export const ERROR_TYPE = 0xff;
export const ALIVE_TYPE = 0xfe;
export const HEADER_SIZE = 0x5;
export const TRAILER_SIZE = 0x4;
export const PAYLOAD_LIMIT = 0x400;
export const BYTE_TIMEOUT_MS = 0x64;
export const IDLE_MS = 0x3e8;

/** What READ reads. */
export const SOURCES = { TENSOR: 0, PARAMETERS: 1, PARAMETER: 2, GRADIENT: 3, STATE: 4, CHECKPOINT: 5, IMAGE: 6, CHECKPOINT_HALF: 7, ONNX: 8, EXPORT_TABLE: 9 } as const;

/** Name -> id, request and reply as [field, type, count]. */
export const MESSAGES = {
  INFO: { id: 1, request: [], reply: [["protocol", "u16", 1], ["frameLimit", "u16", 1], ["version", "u8", 3], ["profile", "u8", 1], ["format", "u32", 1], ["ticksPerSecond", "u32", 1], ["imageStatus", "i32", 1], ["imageSize", "u32", 1], ["programs", "u32", 1], ["batch", "u32", 1], ["arenaRequired", "u32", 1], ["stateSize", "u32", 1], ["parametersSize", "u32", 1], ["gradientsSize", "u32", 1], ["modelId", "u8", 16], ["arenaAvailable", "u32", 1], ["imageArea", "u32", 1], ["checkpointArea", "u32", 1], ["checkpointSize", "u32", 1], ["lineErrors", "u32", 1], ["uniqueId", "u64", 1], ["keyId", "u8", 8], ["board", "text", 1]] },
  MEM: { id: 2, request: [], reply: [["ram", "u32", 1], ["staticRam", "u32", 1], ["stackSize", "u32", 1], ["stackUsed", "u32", 1], ["arenaAvailable", "u32", 1], ["arenaRequired", "u32", 1], ["code", "u32", 1], ["image", "u32", 1]] },
  IMAGE_BEGIN: { id: 3, request: [["size", "u32", 1]], reply: [] },
  IMAGE_DATA: { id: 4, request: [["offset", "u32", 1], ["data", "bytes", 1]], reply: [] },
  IMAGE_END: { id: 5, request: [], reply: [["checkpoint", "u8", 1]] },
  DESCRIBE: { id: 6, request: [["program", "u8", 1], ["role", "u8", 1], ["index", "u16", 1]], reply: [["dtype", "u8", 1], ["rank", "u8", 1], ["lasts", "u8", 1], ["size", "u32", 1], ["dims", "u32", 6], ["name", "text", 1]] },
  DATA: { id: 7, request: [["role", "u8", 1], ["index", "u16", 1], ["offset", "u32", 1], ["data", "bytes", 1]], reply: [] },
  DATA_U8: { id: 8, request: [["role", "u8", 1], ["index", "u16", 1], ["element", "u32", 1], ["scale", "f32", 1], ["zero", "f32", 1], ["data", "bytes", 1]], reply: [] },
  RUN: { id: 9, request: [["program", "u8", 1]], reply: [["loss", "f32", 1], ["trainSteps", "u32", 1], ["optimizerSteps", "u32", 1], ["skippedSteps", "u32", 1], ["learningRate", "f32", 1], ["instructions", "u32", 1], ["ticks", "u64", 1]] },
  METRICS: { id: 10, request: [], reply: [["loss", "f32", 1], ["trainSteps", "u32", 1], ["optimizerSteps", "u32", 1], ["skippedSteps", "u32", 1], ["learningRate", "f32", 1], ["instructions", "u32", 1], ["ticks", "u64", 1]] },
  READ: { id: 11, request: [["source", "u8", 1], ["program", "u8", 1], ["role", "u8", 1], ["index", "u16", 1], ["offset", "u32", 1], ["length", "u16", 1]], reply: [["total", "u32", 1], ["data", "bytes", 1]] },
  LEARNING_RATE: { id: 12, request: [["rate", "f32", 1]], reply: [] },
  SCHEDULE: { id: 13, request: [["rate", "f32", 1], ["warmupSteps", "u32", 1], ["totalSteps", "u32", 1]], reply: [] },
  SEED: { id: 14, request: [["seed", "u32", 1]], reply: [] },
  LAZY_RESET: { id: 15, request: [], reply: [] },
  SAVE: { id: 16, request: [], reply: [["size", "u32", 1]] },
  LOAD: { id: 17, request: [], reply: [] },
  CHECKPOINT_BEGIN: { id: 18, request: [["size", "u32", 1]], reply: [] },
  CHECKPOINT_DATA: { id: 19, request: [["offset", "u32", 1], ["data", "bytes", 1]], reply: [] },
  CHECKPOINT_END: { id: 20, request: [], reply: [] },
  RESET_STATE: { id: 21, request: [], reply: [] },
  REBOOT: { id: 22, request: [], reply: [] },
  STORE: { id: 23, request: [], reply: [["capacity", "u32", 1], ["classes", "u32", 1], ["dtype", "u32", 1], ["elements", "u32", 1], ["kept", "u32", 1], ["idle", "u8", 1]] },
  STORE_CLASS: { id: 24, request: [["label", "u32", 1]], reply: [["seen", "u32", 1], ["kept", "u32", 1]] },
  LEARN: { id: 25, request: [["label", "u32", 1]], reply: [] },
  FORGET: { id: 26, request: [["label", "u32", 1]], reply: [] },
  REPLAY: { id: 27, request: [["program", "u8", 1]], reply: [["loss", "f32", 1], ["trainSteps", "u32", 1], ["optimizerSteps", "u32", 1], ["skippedSteps", "u32", 1], ["learningRate", "f32", 1], ["instructions", "u32", 1], ["ticks", "u64", 1]] },
  SCORE: { id: 28, request: [["label", "u32", 1]], reply: [["kept", "u32", 1], ["right", "u32", 1]] },
  IDLE_TRAINING: { id: 29, request: [["on", "u8", 1]], reply: [] },
  IMAGE_RESUME: { id: 30, request: [], reply: [["size", "u32", 1], ["received", "u32", 1], ["crc", "u32", 1]] },
  UPDATE_BEGIN: { id: 31, request: [["size", "u32", 1]], reply: [] },
  UPDATE_END: { id: 32, request: [["carry", "u8", 1]], reply: [["checkpoint", "u8", 1], ["carried", "u32", 1]] },
  SAVE_EVERY: { id: 35, request: [["updates", "u32", 1]], reply: [] },
  SAVES: { id: 36, request: [], reply: [["every", "u32", 1], ["slots", "u32", 1], ["saves", "u32", 1], ["error", "i32", 1]] },
  ROUND: { id: 37, request: [], reply: [["number", "u32", 1]] },
  ROUND_BEGIN: { id: 38, request: [["number", "u32", 1]], reply: [] },
  DELTA: { id: 39, request: [["bits", "u8", 1], ["seed", "u32", 1], ["offset", "u32", 1], ["length", "u16", 1], ["shared", "bytes", 1]], reply: [["total", "u32", 1], ["data", "bytes", 1]] },
  DELTA_BEGIN: { id: 40, request: [["size", "u32", 1]], reply: [] },
  DELTA_DATA: { id: 41, request: [["offset", "u32", 1], ["data", "bytes", 1]], reply: [] },
  DELTA_END: { id: 42, request: [["bits", "u8", 1], ["seed", "u32", 1]], reply: [["number", "u32", 1]] },
  BUILD: { id: 43, request: [], reply: [["parts", "u32", 1], ["rules", "u32", 1], ["opcodes", "u8", 32]] },
} as const;

/** Name -> code, what was wrong, what to do. */
export const FAULTS = {
  BAD_FRAME: [-100, "a frame arrived damaged or incomplete and was dropped", "send it again; if it persists, lower the baud rate or check the cable"],
  UNKNOWN_MESSAGE: [-101, "this firmware does not know the message", "build and flash the firmware of this gradmote version"],
  BAD_PAYLOAD: [-102, "the payload is not as long as the message requires, or a field is out of range", "build and flash the firmware of this gradmote version"],
  NO_IMAGE: [-103, "the board has no model", "send one: gradmote train model.mote --data data.npz --on PORT"],
  NO_SAMPLES: [-104, "there are no samples to run on", "send inputs, and labels for training and evaluation, before the first run; if the image overwrites inputs, before each run"],
  TOO_LARGE: [-105, "the file is larger than the board's storage for it", "compile a smaller model, or enlarge the area in the board file"],
  OUT_OF_ORDER: [-106, "the parts of a file arrived out of order or incomplete", "transfer the file again from its beginning"],
  FLASH: [-107, "erasing or programming the flash failed", "try again; if it persists, the flash is worn out or write-protected"],
  NO_CHECKPOINT: [-108, "the board has no checkpoint of this model", "save one first"],
  BAD_ARGUMENT: [-109, "the command does not take this argument", "type help"],
  NO_ROOM_TO_UPDATE: [-110, "the storage for images has no room for this image beside the old one", "replace the old one, with the whole storage to use: gradmote train, without --carry-over"],
  NO_ROOM_TO_CARRY: [-111, "the storage for checkpoints has no room for the new model's beside the old one's", "update without it: gradmote update --fresh; Session.save() and carry_over() do the same on the host"],
  UNSIGNED: [-117, "the image is not signed", "sign it with this firmware's key: gradmote sign model.mote --key key.pem"],
  OTHER_KEY: [-118, "the image is signed by another key", "sign it with this firmware's key: gradmote sign model.mote --key key.pem"],
  BAD_SIGNATURE: [-119, "the signature does not match the image", "sign it with this firmware's key: gradmote sign model.mote --key key.pem"],
  OLDER_IMAGE: [-120, "the image is older than the one on this board", "give it a higher number: gradmote compile --image-version N; then sign it"],
  ONLY_BY_UPDATE: [-121, "this firmware takes another image only while the old one runs, to compare their numbers", "send it with: gradmote update model.mote --on PORT"],
  NO_ROOM_FOR_BASE: [-122, "the storage for checkpoints has no room for another beside the round's base and the last one", "end the round first, or give up its base: round 0"],
  NO_EXPORT_TABLE: [-123, "there is no export table after the board's image", "send it with the image: gradmote flash --export-table; or export on the host: gradmote export model.onnx --from PORT"],
} as const;

/** The name of an error that only a console has. */
export type FaultName = keyof typeof FAULTS;
