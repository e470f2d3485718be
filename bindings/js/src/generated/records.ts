// Rendered from runtime_c/spec by `scons render`; do not edit.

export const NONE = 0xffffffff;
export const IMAGE_MAGIC = 0x45544f4d;
export const FORMAT_VERSION = 0x1;
export const SIGNATURE_MAGIC = 0x47534d47;
export const SIGNATURE_VERSION = 0x1;
export const CHECKPOINT_MAGIC = 0x4b434d47;
export const LASTING_MAGIC = 0x524c4d47;
export const EXPORT_MAGIC = 0x58454d47;
export const EXPORT_VERSION = 0x1;

export const PROGRAM = ["infer", "eval", "train", "optimizer", "step"] as const;
export const ROLE = ["input", "label", "output", "loss"] as const;
export const SECTION = ["tensors", "programs", "code", "constants", "initial", "state", "names", "store"] as const;
export const STATE_ROLE = ["parameter", "slot", "control", "properties", "statistic", "store"] as const;
export const SCHEDULE = ["constant", "linear"] as const;
export const PROPERTY_TYPE = ["empty", "i32", "f32"] as const;
export const STORE_DTYPE = ["int8", "f32", "bytes"] as const;
export const ENCODING = ["plain", "half"] as const;
export const EXPORT_KIND = ["word", "i8", "u8"] as const;

/** dtype -> what callers know it by, and the array that holds its elements. */
export const DTYPE = ["float32", "int32", "int8", "uint8", "int16"] as const;
export const ARRAYS = [Float32Array, Int32Array, Int8Array, Uint8Array, Int16Array] as const;
/** Elements of a tensor. */
export type View = Float32Array | Int32Array | Int8Array | Uint8Array | Int16Array;

/** Byte offsets of the fields of a gm_header, and its size. */
export const enum Header {
  magic = 0,
  version = 4,
  size = 8,
  crc = 12,
  modelId = 16,
  arenaSize = 32,
  stateSize = 36,
  parametersSize = 40,
  gradientsOffset = 44,
  gradientsSize = 48,
  scratchOffset = 52,
  controlOffset = 56,
  propertiesOffset = 60,
  propertiesCount = 64,
  batch = 68,
  scheme = 72,
  sections = 76,
  imageVersion = 140,
  sizeof = 144,
}

/** Byte offsets of the fields of a gm_tensor, and its size. */
export const enum Tensor {
  name = 0,
  role = 4,
  programs = 8,
  dtype = 12,
  rank = 16,
  dims = 20,
  offset = 44,
  size = 48,
  sizeof = 52,
}

/** Byte offsets of the fields of a gm_state_entry, and its size. */
export const enum StateEntry {
  name = 0,
  role = 4,
  dtype = 8,
  rank = 12,
  dims = 16,
  offset = 40,
  size = 44,
  gradient = 48,
  sizeof = 52,
}

/** The words of a gm_control, in order. */
export const CONTROL = [
  "trainSteps",
  "seed",
  "optimizerSteps",
  "accumulated",
  "learningRate",
  "baseLearningRate",
  "schedule",
  "warmupSteps",
  "totalSteps",
  "gradientScale",
  "skippedSteps",
  "scheduleStart",
] as const;

/** Byte offsets of the fields of a gm_property, and its size. */
export const enum Property {
  key = 0,
  type = 20,
  value = 24,
  reserved = 28,
  sizeof = 32,
}

/** Byte offsets of the fields of a gm_checkpoint, and its size. */
export const enum Checkpoint {
  magic = 0,
  version = 4,
  size = 8,
  crc = 12,
  modelId = 16,
  entries = 32,
  namesSize = 36,
  stateSize = 40,
  encoding = 44,
  sizeof = 48,
}

/** Byte offsets of the fields of a gm_lasting, and its size. */
export const enum Lasting {
  magic = 0,
  kind = 4,
  version = 8,
  size = 12,
  sizeof = 16,
}

/** Byte offsets of the fields of a gm_export_header, and its size. */
export const enum ExportHeader {
  magic = 0,
  version = 4,
  size = 8,
  crc = 12,
  modelId = 16,
  ranges = 32,
  modelSize = 36,
  sizeof = 40,
}

/** Byte offsets of the fields of a gm_export_range, and its size. */
export const enum ExportRange {
  at = 0,
  source = 4,
  kind = 8,
  add = 12,
  columns = 16,
  rows = 20,
  step = 24,
  rowStep = 28,
  sizeof = 32,
}

/** Byte offsets of the fields of a gm_signature, and its size. */
export const enum Signature {
  magic = 0,
  version = 4,
  keyId = 8,
  bytes = 16,
  sizeof = 80,
}
