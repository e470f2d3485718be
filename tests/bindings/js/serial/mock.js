// navigator.serial with one port, whose other end is a WebSocket; the page's code sees no difference. Playwright leads the socket
// to an emulated board. globalThis.mock says what goes wrong: { choose, open: a DOMException's name }; unplug() pulls the plug.
{
  const settings = (globalThis.mock = { choose: "", open: "", opened: 0, baudRate: 0 });
  const refuse = (name, message) => { if (name) throw new DOMException(message, name); };

  class Port extends EventTarget {
    readable = null;
    writable = null;

    async open({ baudRate }) {
      refuse(settings.open, "Failed to open serial port.");
      refuse(this.readable && "InvalidStateError", "The port is already open.");
      const socket = new WebSocket("ws://board.test/");
      socket.binaryType = "arraybuffer";
      await new Promise((done) => (socket.onopen = done));
      this.socket = socket;
      settings.baudRate = baudRate;
      settings.opened++;
      const start = (line) => {
        this.line = line;
        socket.onmessage = ({ data }) => line.enqueue(new Uint8Array(data));
      };
      this.readable = new ReadableStream({ start });
      this.writable = new WritableStream({ write: (bytes) => socket.send(bytes) });
    }

    async close() {
      refuse((this.readable?.locked || this.writable?.locked) && "TypeError", "The streams are locked.");
      this.socket?.close();
      this.readable = this.writable = null;
    }

    unplug() {
      const reason = new DOMException("The device has been lost.", "NetworkError");
      this.socket.onmessage = null;
      this.socket.close();
      this.line.error(reason);
      this.readable = this.writable = null;
      this.dispatchEvent(new Event("disconnect"));
    }

    async setSignals() {}
    getInfo() { return { usbVendorId: 0x2fe3, usbProductId: 1 }; }
  }

  const port = new Port(), serial = Object.assign(new EventTarget(), {
    getPorts: async () => (settings.opened ? [port] : []),
    requestPort: async () => {
      refuse(settings.choose, settings.choose === "NotFoundError" ? "No port selected by the user." : "Access is denied.");
      return port;
    },
  });
  settings.unplug = () => port.unplug();
  Object.defineProperty(Navigator.prototype, "serial", { get: () => serial, configurable: true });
}
