// The code of the worker: one session, and its calls in the order of the messages.
import { GradmoteError } from "./errors.js";
import { buffersIn, toldError, type Reply, type Request } from "./messages.js";
import { FederatedSession } from "./federated/session.js";
import { moduleOf, type Runtime } from "./runtime.js";
import { Session } from "./session.js";
import { workerLine } from "#platform";
import { train, type TrainOptions } from "./train.js";

const line = workerLine();
const aborts = new Map<number, AbortController>();
let session: Session;

line.receive(async (request: Request) => {
  if ("abort" in request) return aborts.get(request.abort)?.abort();
  const { id } = request;
  try {
    const value = copied(await answer(request));
    line.send({ id, value } satisfies Reply, buffersIn(value));
  } catch (error) {
    line.send({ id, error: toldError(error) } satisfies Reply);
  }
});

async function answer(request: Exclude<Request, { abort: number }>): Promise<unknown> {
  if ("open" in request) return void (session = new (kindFor(request.open.runtime))(request.open.image, request.open.runtime));
  const found = session as unknown as Record<string, unknown>;
  if ("set" in request) {
    if (request.set !== "learningRate") throw new GradmoteError(`a session has no '${request.set}' to set`, "set learningRate");
    return void (found[request.set] = request.value);
  }
  const { id, call, values } = request;
  if (call === "train") return trained(id, values[0] as TrainOptions);
  if (!(call in session)) throw new GradmoteError(`a session has no ${call}()`, "see the names of Session");
  return typeof found[call] === "function" ? (found[call] as (...given: unknown[]) => unknown).apply(session, values) : found[call];
}

/** Returns the class of session for a runtime: FederatedSession if its module has rounds of federated learning. */
function kindFor(runtime: Runtime): typeof Session {
  const names = WebAssembly.Module.exports(moduleOf(runtime)).map(({ name }) => name);
  return names.includes("gm_round_apply") ? FederatedSession : Session;
}

async function trained(id: number, options: TrainOptions): Promise<unknown> {
  const abort = new AbortController();
  aborts.set(id, abort);
  try {
    const onEpoch = (epoch: unknown) => line.send({ id, epoch } satisfies Reply);
    return await train(session, { ...options, onEpoch, signal: abort.signal });
  } finally {
    aborts.delete(id);
  }
}

/** Returns copies of views, since the arena stays here. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  return ArrayBuffer.isView(value) ? (value as Float32Array).slice() : value;
}
