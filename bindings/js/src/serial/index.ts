/** Boards that run Gradmote's firmware, over WebSerial: the Python package's client, for pages. */
export { Board, type OpenOptions } from "./board.js";
export { DeviceError, type DeviceErrorName } from "./device-error.js";
export { hasSerial, type PortFilter, type SerialPortLike } from "./port.js";
export type { Transport } from "./link.js";
export type { Progress, TransferOptions } from "./requests.js";
export type { BoardEpoch, BoardStep, BoardTrainOptions } from "./train.js";
export type { EvaluateOptions, Evaluation } from "./evaluation.js";
export type { BoardData } from "./feeds.js";
export type { BoardInfo, BoardStore, BoardTensor, Memory, Metrics, Role, Samples, Saves, Update } from "./types.js";
export { DataError, GradmoteError, RuntimeFault } from "../index.js";
