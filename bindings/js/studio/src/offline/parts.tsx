import { install, installOffer } from "./install";
import { work } from "../board/work";
import { status } from "../training/run";
import { newVersion, takeNewVersion } from "./update";

/** The button that installs the page, shown if the browser offers that. */
export function InstallButton() {
  if (!installOffer.value) return null;
  return (
    <button type="button" class="quiet" onClick={install}>
      Install
    </button>
  );
}

/**
 * Announces a new version. The user chooses when to reload, as that discards unsaved work; while the page or a board is
 * busy, they cannot.
 */
export function NewVersion() {
  const later = () => (newVersion.value = null);
  const busy = status.value !== "idle" ? "training" : work.value ? "board" : "";
  return (
    <div class="update" role="status">
      {newVersion.value && (
        <div class="notice">
          <p>
            <strong>A new version is ready.</strong>
            <span class="hint"> {busy ? `It waits for the ${busy}.` : "Save what was learned, then reload."}</span>
          </p>
          {!busy && (
            <button type="button" onClick={takeNewVersion}>
              Reload
            </button>
          )}
          <button type="button" class="quiet" onClick={later}>
            Later
          </button>
        </div>
      )}
    </div>
  );
}
