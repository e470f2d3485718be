/** The camera of this computer: open it, capture from it, release it. */
import { GradmoteError } from "gradmote";

import { fromRgba, type Picture } from "../data/pictures/pixels";

/** The name of a browser's error -> what it means, and what to do. */
const REFUSALS: Record<string, [string, string]> = {
  NotAllowedError: ["the camera was not allowed", "allow it in the browser's settings for this page, and start it again"],
  NotFoundError: ["there is no camera", "plug one in, or draw, or give pictures as files"],
  NotReadableError: ["the camera is in use, or does not answer", "close what uses it, and start it again"],
  OverconstrainedError: ["no camera gives such pictures", "choose another camera"],
};
/** The side of the captured square, in pixels. */
const TAKEN = 240;
/** The video to ask for; sizes are in pixels. */
const WANTED = { width: { ideal: 640 }, height: { ideal: 480 }, facingMode: "environment" };

/** An open camera. */
export class Camera {
  private constructor(private readonly stream: MediaStream, readonly video: HTMLVideoElement) {}

  /** Opens the camera. Throws GradmoteError if there is none, or it is not allowed. onLost: called if it goes away. */
  static async open(onLost: () => void): Promise<Camera> {
    if (!navigator.mediaDevices) throw new GradmoteError("this page may not use a camera", "open it by https, or from this computer");
    let stream: MediaStream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ video: WANTED, audio: false });
    } catch (error) {
      const [text, hint] = REFUSALS[(error as Error).name] ?? [`the camera does not start (${(error as Error).message})`, "try again"];
      throw new GradmoteError(text, hint);
    }
    const video = document.createElement("video");
    Object.assign(video, { muted: true, playsInline: true, srcObject: stream });
    for (const track of stream.getVideoTracks()) track.addEventListener("ended", onLost);
    await video.play();
    return new Camera(stream, video);
  }

  /** Returns the square in the middle of the camera's view; null before the first frame. */
  square(): Picture | null {
    const { videoWidth: width, videoHeight: height } = this.video, side = Math.min(width, height);
    if (!side) return null;
    const canvas = new OffscreenCanvas(TAKEN, TAKEN).getContext("2d", { willReadFrequently: true })!;
    canvas.drawImage(this.video, (width - side) / 2, (height - side) / 2, side, side, 0, 0, TAKEN, TAKEN);
    return fromRgba(TAKEN, TAKEN, canvas.getImageData(0, 0, TAKEN, TAKEN).data, true);
  }

  /** Releases the camera, so that its light goes out. */
  close(): void {
    for (const track of this.stream.getTracks()) track.stop();
    this.video.srcObject = null;
  }
}
