/** The settings for reading samples. */

/** Bytes and numbers become (x - zero) * scale. "standard" computes zero and scale from the samples. */
export type Scaling = { scale: number | null; zero: number | null } | "standard";

export interface Reading {
  /** The table column with the labels, or several separated by commas; the last one by default. */
  label: string | null;
  /** false if the labels are in a separate file. */
  hasLabels: boolean;
  /** Whether the first line of a table has the names of its columns; null detects it. */
  header: boolean | null;
  /** The names of the classes in the order of the model's outputs; sorted by default. */
  classes: string[] | null;
  scaling: Scaling;
  /** Whether to stretch pictures to the model's size. */
  resize: boolean;
  /** The numbers in one sample of a recording; by default, as many as the model takes. */
  length: number | null;
  /** The shape of one sample that the model takes; null if there is no model. */
  sampleShape: number[] | null;
}

/** The settings if the user chose nothing else. */
export const PLAIN: Reading = {
  label: null,
  hasLabels: true,
  header: null,
  classes: null,
  scaling: { scale: null, zero: null },
  resize: false,
  length: null,
  sampleShape: null,
};
