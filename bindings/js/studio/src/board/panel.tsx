import { Missing } from "../parts/missing";

export function BoardPanel() {
  return (
    <section class="panel">
      <h2>Board</h2>
      {"serial" in navigator ? (
        <Missing>Talking with a board is not part of this build.</Missing>
      ) : (
        <Missing>This browser has no WebSerial. Chrome, Edge and Opera on a computer have it.</Missing>
      )}
    </section>
  );
}
