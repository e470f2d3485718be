import { DataError, GradmoteError, type Data, type Program, type Session, type TensorInfo, type View } from "../index.js";
import { Tensor } from "./tensor.js";

/** Name -> tensor. */
export type OnnxValueMapType = { readonly [name: string]: Tensor };
/** The outputs to return: their names, or an object that has them as keys. */
export type FetchesType = readonly string[] | { readonly [name: string]: Tensor | null };
/** Accepted for onnxruntime's sake and ignored: a step cannot be interrupted. */
export type RunOptions = { readonly [name: string]: unknown };

/** The session that takes the feeds. One that only infers has no labels to set. */
type Fed = Pick<Session, "inputs" | "labels" | "setInput"> & Partial<Pick<Session, "setLabel">>;

/** Returns the inputs of a program in the order in which Session takes them. */
export function inputsOf(session: Fed, program: Program): TensorInfo[] {
  return [...session.inputs(), ...session.labels()].filter((tensor) => tensor.programs.includes(program));
}

/** Returns the names of tensors. Throws GradmoteError if the image has no names. */
export function namesOf(tensors: TensorInfo[]): string[] {
  return tensors.map(({ name }) => {
    if (name !== null) return name;
    throw new GradmoteError("the image has no names, which feeds need", "compile the model without --strip-names");
  });
}

/**
 * Copies each fed tensor into the session's input or label of that name: all samples of the batch, or fewer. If one does
 * not fit, copies nothing.
 */
export function feed(session: Fed, program: Program, feeds: OnnxValueMapType): void {
  const tensors = inputsOf(session, program);
  if (typeof feeds !== "object" || feeds === null || feeds instanceof Tensor || Array.isArray(feeds)) {
    throw new DataError("feeds are not an object", "pass an object with a Tensor for each input's name");
  }
  const names = namesOf(tensors);
  tensors.forEach((tensor, i) => checkFed(tensor, names[i], feeds[names[i]], tensor.rowsIn.includes(program)));
  const inputs = session.inputs().map(({ name }) => name);
  names.forEach((name) => {
    const at = inputs.indexOf(name);
    if (at >= 0) session.setInput(at, feeds[name].data as Data);
    else session.setLabel!(session.labels().findIndex((label) => label.name === name), feeds[name].data as Data);
  });
}

function checkFed(tensor: TensorInfo, name: string, given: Tensor | undefined, takesFewer: boolean): void {
  if (given == null) throw new DataError(`input '${name}' is missing in feeds`, `pass a Tensor of shape [${tensor.shape}]`);
  const dims = given.dims;
  const isDim = (dim: number, i: number) => dim === tensor.shape[i] || (i === 0 && takesFewer && dim > 0 && dim < tensor.shape[0]);
  if (Array.isArray(dims) && dims.length === tensor.shape.length && dims.every(isDim)) return;
  const hint = "reshape it, or compile the model with --batch for another first dimension";
  throw new DataError(`input '${name}' has shape [${tensor.shape}]; [${String(dims)}] was given`, hint);
}

/** Returns the names of the outputs to fetch; all of them by default. Throws DataError for an unknown one. */
export function fetched(names: readonly string[], asked?: FetchesType | RunOptions): readonly string[] {
  if (asked === undefined) return names;
  if (typeof asked !== "object" || asked === null || asked instanceof Tensor) {
    throw new DataError("fetches are neither names nor an object", "pass an array of output names");
  }
  if (!Array.isArray(asked)) {
    const found = names.filter((name) => name in asked);
    return found.length ? found : names; // an object without any output's name is an object of options
  }
  const unknown = asked.find((name) => !names.includes(name));
  if (asked.length && unknown === undefined) return asked;
  throw new DataError(`there is no output '${unknown}' to fetch`, `use some of ${names.join(", ")}`);
}

/** Returns a copy of an output as a tensor. view: all of it, or its first samples. */
export function tensorOf(info: TensorInfo, view: View): Tensor {
  const whole = info.shape.reduce((a, b) => a * b, 1);
  const shape = view.length === whole ? info.shape : [(info.shape[0] * view.length) / whole, ...info.shape.slice(1)];
  return new Tensor(info.dtype, view.slice() as Float32Array, shape) as Tensor;
}
