import { DataError } from "../index.js";

/** Type -> the array class for its elements. */
const ARRAYS = {
  float32: Float32Array,
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  bool: Uint8Array,
  float16: Uint16Array,
  float64: Float64Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
} as const satisfies Record<Tensor.Type, unknown>;

export namespace Tensor {
  export interface DataTypeMap {
    float32: Float32Array;
    uint8: Uint8Array;
    int8: Int8Array;
    uint16: Uint16Array;
    int16: Int16Array;
    int32: Int32Array;
    int64: BigInt64Array;
    bool: Uint8Array;
    float16: Uint16Array;
    float64: Float64Array;
    uint32: Uint32Array;
    uint64: BigUint64Array;
  }
  export type Type = keyof DataTypeMap;
  export type DataType = DataTypeMap[Type];
  export type DataLocation = "none" | "cpu";
}

type Elements = Tensor.DataType | readonly number[] | readonly bigint[] | readonly boolean[];

/** An array with a type and a shape, like onnxruntime's. Its data is in JavaScript's memory. */
export class Tensor<T extends Tensor.Type = Tensor.Type> {
  readonly type: T;
  readonly dims: readonly number[];
  /** The number of elements. */
  readonly size: number;
  #data: Tensor.DataTypeMap[T] | undefined;

  constructor(type: T, data: Tensor.DataTypeMap[T] | readonly number[] | readonly bigint[] | readonly boolean[], dims?: readonly number[]);
  constructor(data: Tensor.DataTypeMap[T] | readonly boolean[], dims?: readonly number[]);
  constructor(first: T | Elements, second?: Elements | readonly number[], third?: readonly number[]) {
    const named = typeof first === "string";
    const data = (named ? second : first) as Elements;
    const dims = named ? third : (second as readonly number[] | undefined);
    this.type = named ? known(first) : (typeOf(data) as T);
    this.#data = elements(this.type, data) as unknown as Tensor.DataTypeMap[T];
    this.dims = dims === undefined ? [this.#data.length] : checkedDims(dims);
    this.size = this.dims.reduce((product, dim) => product * dim, 1);
    if (this.size !== this.#data.length) {
      throw new DataError(`a tensor of shape [${this.dims}] has ${this.size} elements; ${this.#data.length} were given`, "pass dims whose product is the number of elements");
    }
  }

  get data(): Tensor.DataTypeMap[T] {
    if (this.#data) return this.#data;
    throw new DataError("the tensor was disposed", "make another one");
  }

  get location(): Tensor.DataLocation {
    return this.#data ? "cpu" : "none";
  }

  /** Returns the data. releaseData: also dispose of the tensor. */
  async getData(releaseData = false): Promise<Tensor.DataTypeMap[T]> {
    const data = this.data;
    if (releaseData) this.dispose();
    return data;
  }

  /** Releases the data. */
  dispose(): void {
    this.#data = undefined;
  }

  /** Returns a tensor with the same data in another shape. */
  reshape(dims: readonly number[]): Tensor<T> {
    return new Tensor<T>(this.type, this.data, dims);
  }
}

function known<T extends Tensor.Type>(type: T): T {
  if (Object.hasOwn(ARRAYS, type)) return type;
  throw new DataError(`there is no tensor of type '${type}'`, `use one of ${Object.keys(ARRAYS).join(", ")}`);
}

function typeOf(data: Elements): Tensor.Type {
  if (Array.isArray(data) && data.length && data.every((item) => typeof item === "boolean")) return "bool";
  const found = (Object.keys(ARRAYS) as Tensor.Type[]).find((type) => data?.constructor === ARRAYS[type]);
  if (found) return found;
  throw new DataError("the tensor's data has no type", "pass a typed array, or the type first: new Tensor('float32', data, dims)");
}

function elements(type: Tensor.Type, data: Elements): Tensor.DataType {
  const array = ARRAYS[type];
  if (data instanceof array) return data as Tensor.DataType;
  const isOfNumbers = Array.isArray(data) && data.every((item) => ["number", "bigint", "boolean"].includes(typeof item));
  if (!isOfNumbers || type === "float16") {
    throw new DataError(`a tensor of ${type} takes a ${array.name}`, `convert its data: ${array.name}.from(data)`);
  }
  const isWide = type === "int64" || type === "uint64";
  if (!isWide) return (array as Float32ArrayConstructor).from(data as number[], Number);
  if (data.every((item) => typeof item !== "number" || Number.isInteger(item))) return (array as BigInt64ArrayConstructor).from(data as bigint[], BigInt);
  throw new DataError(`a tensor of ${type} takes whole numbers`, "round its data");
}

function checkedDims(dims: readonly number[]): readonly number[] {
  if (Array.isArray(dims) && dims.every((dim) => Number.isInteger(dim) && dim >= 0)) return [...dims];
  throw new DataError(`a tensor's dims are [${String(dims)}]`, "pass an array of whole numbers");
}
