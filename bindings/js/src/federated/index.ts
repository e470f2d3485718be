import { connect as connectSession, loadRuntime, readSource, type LoadOptions, type RemoteSession, type Source } from "../index.js";
import { FederatedSession } from "./session.js";

export { FederatedSession } from "./session.js";
export type { Shared } from "./shared.js";

type Calls = "beginRound" | "roundDelta" | "checkDelta" | "endRound";
type Promised = { [K in Calls]: (...values: Parameters<FederatedSession[K]>) => Promise<ReturnType<FederatedSession[K]>> };

/** A session in a worker for rounds: the methods of FederatedSession as promises, and the round through get(). */
export interface RemoteFederatedSession extends Omit<RemoteSession, "get">, Promised {
  get: RemoteSession["get"] & ((name: "round") => Promise<number>);
}

/** Opens an image for rounds of federated learning, with a runtime that has them. */
export async function load(image: Source, options?: LoadOptions): Promise<FederatedSession> {
  const reading = readSource(image, "the image", options?.signal);
  const [runtime, bytes] = await Promise.all([loadRuntime({ ...options, int8: true }), reading]);
  return new FederatedSession(bytes, runtime);
}

/** Opens an image in a worker, so that the page never waits for a step. */
export function connect(image: Source, options?: LoadOptions): Promise<RemoteFederatedSession> {
  return connectSession(image, { ...options, int8: true }) as unknown as Promise<RemoteFederatedSession>;
}
