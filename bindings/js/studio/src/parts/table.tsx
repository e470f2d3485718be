import type { ComponentChildren } from "preact";

export interface Column {
  title: string;
  /** Numbers are right-aligned. */
  numeric?: boolean;
}

interface Props {
  /** What the table shows, for screen readers. */
  label: string;
  columns: Column[];
  rows: ComponentChildren[][];
  /** A last row of totals. */
  total?: ComponentChildren[];
}

/** A table that scrolls by itself if it is too wide; its first column stays. */
export function Table({ label, columns, rows, total }: Props) {
  const row = (cells: ComponentChildren[], key: number) => (
    <tr key={key}>
      {cells.map((cell, i) => (i === 0 ? <th scope="row" key={i}>{cell}</th> : <td key={i} class={columns[i]?.numeric ? "n" : ""}>{cell}</td>))}
    </tr>
  );
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={label}>
      <table class="listed">
        <thead>
          <tr>
            {columns.map(({ title, numeric }) => <th scope="col" key={title} class={numeric ? "n" : ""}>{title}</th>)}
          </tr>
        </thead>
        <tbody>{rows.map(row)}</tbody>
        {total && <tfoot>{row(total, 0)}</tfoot>}
      </table>
    </div>
  );
}

/** A share of a whole as a bar. */
export function Bar({ share }: { share: number }) {
  return (
    <span class="bar in-table" aria-hidden="true">
      <i style={{ width: `${(100 * share).toFixed(1)}%` }} />
    </span>
  );
}
