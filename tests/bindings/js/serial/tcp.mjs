// A pair of byte streams over TCP, as the emulator serves a board's serial line.
import { connect } from "node:net";
import { Duplex } from "node:stream";

export async function tcp(port) {
  const socket = connect(Number(port), "127.0.0.1");
  await new Promise((done, failed) => socket.once("connect", done).once("error", failed));
  socket.setNoDelay(true);
  const close = () => void socket.destroy();
  return { ...Duplex.toWeb(socket), close, unplug: () => socket.destroy(new Error("The device has been lost.")) };
}
