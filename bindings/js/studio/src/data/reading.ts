/** The settings with which samples are read. */

/** Bytes and numbers become (x - zero) * scale. "standard" takes zero and scale from the samples themselves. */
export type Scaling = { scale: number | null; zero: number | null } | "standard";

export interface Reading {
  /** The column of a table with the labels, or several with commas between them; the last one by default. */
  label: string | null;
  /** false where the labels are in a file of their own. */
  hasLabels: boolean;
  /** Whether the first line of a table has the names of its columns; null looks. */
  header: boolean | null;
  /** The names of the classes in the order of the model's outputs; sorted by default. */
  classes: string[] | null;
  scaling: Scaling;
  /** Whether pictures of another size than the model's are stretched to it. */
  resize: boolean;
  /** The numbers in one sample of a recording; by default as many as the model takes. */
  length: number | null;
  /** The shape of one sample that the model takes; null where there is no model. */
  sampleShape: number[] | null;
}

/** What is read where nothing else was chosen. */
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
