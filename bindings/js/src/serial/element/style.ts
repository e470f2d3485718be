/** The look of the element. Pages change it with the properties --gradmote-... and with ::part(). */
export const STYLE = `
:host {
  --accent: var(--gradmote-accent, #2b4fc4); --on-accent: var(--gradmote-on-accent, #fff);
  --surface: var(--gradmote-surface, #fff); --ink: var(--gradmote-ink, #1b1d21); --soft: #565b63; --line: #d5d7d3;
  --bad: #b3261e; --wash: #f3f3f1; --radius: var(--gradmote-radius, 8px);
  display: inline-block; color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :host(:not([theme="light"])) {
    --accent: var(--gradmote-accent, #9db4ff); --on-accent: var(--gradmote-on-accent, #10131c);
    --surface: var(--gradmote-surface, #1b1d22); --ink: var(--gradmote-ink, #eceef2); --soft: #a9afb9; --line: #3c4049;
    --bad: #ff9c92; --wash: #25282f;
  }
}
:host([theme="dark"]) {
  --accent: var(--gradmote-accent, #9db4ff); --on-accent: var(--gradmote-on-accent, #10131c);
  --surface: var(--gradmote-surface, #1b1d22); --ink: var(--gradmote-ink, #eceef2); --soft: #a9afb9; --line: #3c4049;
  --bad: #ff9c92; --wash: #25282f;
}
:host([hidden]) { display: none; }
*, ::before, ::after { box-sizing: border-box; }
button, .file { font: inherit; font-weight: 550; color: var(--ink); background: var(--surface); border: 1px solid var(--line);
  border-radius: var(--radius); min-height: 44px; padding: 8px 16px; cursor: pointer; }
button:hover, .file:hover { background: var(--wash); }
button:disabled { color: var(--soft); cursor: not-allowed; background: none; }
.primary { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
.primary:hover { background: color-mix(in srgb, var(--accent) 86%, var(--ink)); }
.quiet { border-color: transparent; background: none; color: var(--soft); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
h2:focus-visible { outline: none; }
dialog { font: 400 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--surface); border: 1px solid var(--line);
  border-radius: calc(var(--radius) * 1.5); padding: 0; width: min(30rem, calc(100vw - 24px)); max-height: calc(100dvh - 24px);
  text-align: left; box-shadow: 0 16px 48px rgb(0 0 0 / 0.3); }
dialog::backdrop { background: rgb(0 0 0 / 0.45); }
header { display: flex; align-items: center; justify-content: space-between; gap: 12px; padding: 16px 12px 4px 24px;
  position: sticky; top: 0; background: var(--surface); }
h2 { font-size: 20px; line-height: 1.3; margin: 0; font-weight: 620; overflow-wrap: anywhere; }
h3 { font-size: 16px; margin: 0; font-weight: 620; }
.body { display: grid; gap: 16px; padding: 8px 24px 24px; }
p { margin: 0; overflow-wrap: anywhere; }
.soft, dt, small, summary { color: var(--soft); }
.bad { color: var(--bad); font-weight: 600; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 12px 16px; margin: 0; }
dt, small { font-size: 14px; }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.row { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
section { display: grid; gap: 12px; border-top: 1px solid var(--line); padding-top: 16px; }
progress { width: 100%; height: 10px; accent-color: var(--accent); }
svg { width: 100%; height: 96px; background: var(--wash); border-radius: var(--radius); display: block; }
polyline { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke; }
label { display: inline-flex; align-items: center; gap: 8px; }
input[type="number"] { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--soft); border-radius: var(--radius);
  width: 5.5rem; min-height: 44px; padding: 4px 10px; }
input[type="file"] { position: absolute; width: 1px; height: 1px; opacity: 0; }
.file { display: inline-flex; align-items: center; }
.file:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
summary { cursor: pointer; padding: 8px 0; }
ul { margin: 0; padding-left: 20px; }
a { color: var(--accent); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (prefers-reduced-motion: no-preference) { dialog[open] { animation: rise 0.16s ease-out; } }
@keyframes rise { from { opacity: 0; transform: translateY(8px); } }
`;
