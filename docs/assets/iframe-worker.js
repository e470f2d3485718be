/* Lets the site's search work from a folder too: browsers start no Worker from a file, so this one runs its script in a
 * hidden frame. Elsewhere the browser's own Worker stays. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const own = this.frame.contentWindow;
      own.postMessage = (data) => this.receive(data);
      own.importScripts = (...urls) => urls.reduce((done, each) => done.then(() => load(own, each)), Promise.resolve());
      load(own, url);
    }

    postMessage(data) {
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }

    terminate() {
      this.frame.remove();
    }
  };
}

/* Runs a script in a frame; the promise is kept once it has run. */
function load(frame, url) {
  return new Promise((resolve, reject) => {
    const script = frame.document.createElement("script");
    Object.assign(script, { src: url, onload: resolve, onerror: reject });
    frame.document.body.append(script);
  });
}
