import { connect, FederatedSession, load } from "gradmote/federated";

export async function oneRound(image: Uint8Array, down: Uint8Array): Promise<number> {
  const session: FederatedSession = await load(image);
  session.beginRound(session.round + 1);
  const delta: Uint8Array = session.roundDelta(4, 7, ["conv*"]);
  session.checkDelta(delta);
  const remote = await connect(image);
  const sent: Uint8Array = await remote.roundDelta(2);
  const now: number = await remote.get("round");
  const rate: number = await remote.get("learningRate");
  remote.close();
  return sent.length + now + rate + session.endRound(down, 4, 7);
}
