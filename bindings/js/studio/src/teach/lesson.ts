/** A class and the samples that were recorded of it. */
export interface Lesson {
  name: string;
  samples: Float32Array[];
}

/** The numbers that black and white are in the samples. */
export interface Levels {
  least: number;
  largest: number;
}
