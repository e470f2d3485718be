/** The two ends of a line between a page and a worker, in browsers and in node. */
export interface Line {
  send(message: unknown, transfer?: ArrayBuffer[]): void;
  receive(listener: (message: never) => void): void;
  close(): void;
  /** Reports a worker that cannot start or has died. */
  failed(listener: (reason: string) => void): void;
}
