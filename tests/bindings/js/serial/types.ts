// What a page writes, as TypeScript sees it.
import { Board, DeviceError, type BoardEpoch, type BoardInfo, type Transport } from "gradmote/serial";

export async function page(transport: Transport, port: Awaited<ReturnType<typeof Board.ports>>[number]): Promise<Uint8Array> {
  const board: Board = transport ? await Board.open(transport, { place: "a line" }) : await Board.open(port);
  const info: BoardInfo = await board.loadImage("model.mote", { onProgress: (done: number, total: number) => console.log(done / total) });
  const profile: "strict" | "fused" = info.profile;
  const epochs: BoardEpoch[] = await board.train({ x: new Float32Array(8), y: new Int32Array(1), onStep: ({ loss, step }) => console.log(profile, loss + step) });
  const [kept, right]: [number, number] = await board.score(epochs.length);
  const reason: DeviceError | null = await board.closed;
  if (reason?.error === "LOST" && kept > right) await board.close();
  // @ts-expect-error: a board has no such program
  await board.run("nothing");
  return board.save({ half: true });
}
