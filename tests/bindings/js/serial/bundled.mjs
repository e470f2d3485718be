// The entry that a bundler takes: the element, which is imported only for its effect, and boards.
import "gradmote/board";
import { GradmoteError } from "gradmote";
import { Board, DeviceError } from "gradmote/serial";

const element = document.createElement("gradmote-board");
document.body.append(element);
const port = { readable: new ReadableStream(), writable: new WritableStream() };
port.readable.getReader();
const error = await Board.open(port).catch((refused) => refused);
globalThis.result = {
  digest: "none", isElement: element.shadowRoot !== null, offers: element.shadowRoot?.querySelector("slot")?.name,
  errors: error instanceof DeviceError && error instanceof GradmoteError && error.error === "TAKEN",
};
