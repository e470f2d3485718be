// What each page does with its import: it runs the digits page, and leaves what came out of it. ?data=NAME names a folder
// of the data.

globalThis.showDigits = async (ort) => {
  const folder = `/data/${new URLSearchParams(location.search).get("data") ?? "digits"}/`;
  try {
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.simd = true;
    const { wasmPaths, artifacts } = await (await fetch(`${folder}digits.json`)).json();
    if (wasmPaths) ort.env.wasm.wasmPaths = new URL(wasmPaths, location.href).href;
    for (const name of Object.keys(artifacts)) artifacts[name] = new URL(artifacts[name], new URL(folder, location.href)).href;
    const show = (line) => document.body.append(Object.assign(document.createElement("p"), { textContent: line }));
    globalThis.result = { digest: "of both", ...(await digitsPage(ort, { artifacts, folder, server: "/federated", show })) };
  } catch (error) {
    globalThis.result = { error: String(error) };
  }
};
