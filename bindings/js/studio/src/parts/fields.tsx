import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface FieldProps {
  label: string;
  disabled?: boolean;
  /** What the user should know, shown below the field. */
  help?: string;
  /** Takes the whole width of its group. */
  whole?: boolean;
}

/**
 * Returns the props of an input for typing: what the user types stays while other parts are drawn, counts as soon as it
 * is valid, and is reported if it is invalid when the user leaves the field.
 */
function useTyping(value: string | number, take: (input: HTMLInputElement) => void) {
  const ref = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement !== ref.current) ref.current!.value = String(value);
  }, [value]);
  const onInput = () => ref.current!.validity.valid && take(ref.current!);
  const onChange = () => ref.current!.reportValidity();
  return { ref, onInput, onChange };
}

interface NumberProps extends FieldProps {
  value: number;
  min: number;
  max: number;
  step?: number | "any";
  onValue: (value: number) => void;
}

/** A field for a number. It does not take a number out of range, and says so until the user corrects it. */
export function NumberField({ label, help, whole, value, onValue, ...rest }: NumberProps) {
  const id = useId(), typing = useTyping(value, (input) => onValue(input.valueAsNumber));
  return (
    <label class={whole ? "field whole" : "field"}>
      {label}
      <input type="number" {...typing} required aria-describedby={help && id} {...rest} />
      {help && <small id={id}>{help}</small>}
    </label>
  );
}

interface ChoiceProps extends FieldProps {
  value: string;
  /** Value -> its text for the user. */
  choices: Record<string, string>;
  onValue: (value: string) => void;
}

export function ChoiceField({ label, help, whole, value, choices, onValue, disabled = false }: ChoiceProps) {
  const id = useId();
  return (
    <label class={whole ? "field whole" : "field"}>
      {label}
      <select
        value={value}
        disabled={disabled}
        aria-describedby={help && id}
        onChange={(event) => onValue((event.target as HTMLSelectElement).value)}
      >
        {Object.entries(choices).map(([key, text]) => (
          <option key={key} value={key}>{text}</option>
        ))}
      </select>
      {help && <small id={id}>{help}</small>}
    </label>
  );
}

interface TextProps extends FieldProps {
  value: string;
  placeholder?: string;
  pattern?: string;
  onValue: (value: string) => void;
}

export function TextField({ label, help, whole, value, onValue, ...rest }: TextProps) {
  const id = useId(), typing = useTyping(value, (input) => onValue(input.value.trim()));
  return (
    <label class={whole ? "field whole" : "field"}>
      {label}
      <input type="text" spellcheck={false} {...typing} aria-describedby={help && id} {...rest} />
      {help && <small id={id}>{help}</small>}
    </label>
  );
}

interface CheckProps {
  label: ComponentChildren;
  checked: boolean;
  disabled?: boolean;
  onValue: (checked: boolean) => void;
}

export function CheckField({ label, checked, disabled = false, onValue }: CheckProps) {
  const take = (event: Event) => onValue((event.target as HTMLInputElement).checked);
  return (
    <label class="check">
      <input type="checkbox" checked={checked} disabled={disabled} onChange={take} />
      {label}
    </label>
  );
}
