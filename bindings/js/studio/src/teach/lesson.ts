/** A class and its recorded samples. */
export interface Lesson {
  name: string;
  samples: Float32Array[];
}

/** The values of black and white in the samples. */
export interface Levels {
  least: number;
  largest: number;
}
