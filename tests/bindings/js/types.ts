// Nothing of onnxruntime-web's classes is missing, except tensors on a GPU and pictures.
import type * as ort from "onnxruntime-common";
import type * as ours from "gradmote/training";

type Nothing<T extends never> = T;
type OnGpu = "texture" | "gpuBuffer" | "toDataURL" | "toImageData";

export type Training = Nothing<Exclude<keyof ort.TrainingSession, keyof ours.TrainingSession>>;
export type Inference = Nothing<Exclude<keyof ort.InferenceSession, keyof ours.InferenceSession>>;
export type Tensors = Nothing<Exclude<keyof ort.Tensor, keyof ours.Tensor | OnGpu>>;
export type Options = Nothing<Exclude<keyof ort.TrainingSessionCreateOptions, keyof ours.TrainingSessionCreateOptions>>;
export type Types = Nothing<Exclude<ort.Tensor.Type, ours.Tensor.Type | "string">>;
