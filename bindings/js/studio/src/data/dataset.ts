/** Samples one behind another, with their labels. */
export interface Dataset {
  name: string;
  x: Float32Array;
  y: Float32Array | Int32Array;
  /** The number of samples. */
  count: number;
  /** The shape of one sample, without the batch. */
  sampleShape: number[];
  /** The shape of one label: empty for a class. */
  labelShape: number[];
  /** The names of classes, in the order of their numbers; empty where labels are no classes. */
  classes: string[];
  /** What the user should know of how the data was read. */
  notes: string[];
}
