/** Gives the user a file. */
export function download(name: string, data: Uint8Array | string, type = "application/octet-stream"): void {
  const address = URL.createObjectURL(new Blob([data as BlobPart], { type }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Returns a file's name with another extension. */
export function renamed(name: string, ending: string): string {
  return `${name.replace(/\.(mote|onnx)$/i, "")}${ending}`;
}
