import { effect, signal } from "@preact/signals";

type Theme = "light" | "dark";

const KEPT = "gradmote-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const chosen = signal<Theme | null>(kept());
const dark = signal(system.matches);

/** Light or dark: the user's choice, or the system's. Curves read it to follow the page's colours. */
export const theme = {
  get value(): Theme {
    return chosen.value ?? (dark.value ? "dark" : "light");
  },
};

system.addEventListener("change", () => (dark.value = system.matches));
effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});

function kept(): Theme | null {
  try {
    const found = localStorage.getItem(KEPT);
    return found === "light" || found === "dark" ? found : null;
  } catch {
    return null; // the page has no storage
  }
}

function toggle(): void {
  chosen.value = theme.value === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEPT, chosen.value);
  } catch {
    // without storage, the choice lasts as long as the page
  }
}

/** Switches between light and dark. */
export function ThemeButton() {
  const name = theme.value === "dark" ? "Light colours" : "Dark colours";
  return (
    <button type="button" class="quiet theme" onClick={toggle} aria-label={name} title={name}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="7.25" />
        <path d="M10 2.75a7.25 7.25 0 0 1 0 14.5z" />
      </svg>
    </button>
  );
}
