"""Generates tests/support/data/quantized_tflite_*.onnx, which tests read; kept so that they can be made again.

python3.11 -m venv venv
venv/bin/pip install -r .ci/requirements-exporters-tensorflow.txt
venv/bin/python tests/support/data/make_quantized_tflite.py

Each is a Keras model that TensorFlow's converter quantized to a TFLite file, and tf2onnx converted to ONNX.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tensorflow as tf
import tf2onnx

HERE = Path(__file__).resolve().parent
OPSET = 15
layers = tf.keras.layers


@dataclass(frozen=True)
class Case:
    """ends: the type of the model's input and output. biases: their initializer; converters share equal constants, so
    that zero biases are also the zero points."""

    network: str
    ends: tf.DType
    per_channel: bool
    biases: str = "random_normal"

    @property
    def path(self) -> Path:
        per = "channel" if self.per_channel else "tensor"
        return HERE / f"quantized_tflite_{self.network}_{self.ends.name}_per_{per}.onnx"


CASES = [
    Case("residual", tf.float32, True, "zeros"),
    Case("residual", tf.int8, False),
    Case("residual", tf.uint8, True),
    Case("decoder", tf.int8, True),
]


def residual(biases: str) -> tf.keras.Model:
    """Return a network with ReLU6 in both places, a depthwise convolution, both pools, Concat and a Dense."""
    x = image = layers.Input((12, 12, 2))
    x = layers.Conv2D(8, 3, strides=2, padding="same", bias_initializer=biases)(x)
    x = layers.ReLU(6)(layers.BatchNormalization()(x))
    y = layers.ReLU(6)(layers.DepthwiseConv2D(3, padding="same", bias_initializer=biases)(x))
    x = layers.Add()([x, layers.Conv2D(8, 1, bias_initializer=biases)(y)])
    x = layers.Concatenate()([layers.MaxPooling2D(2)(x), layers.AveragePooling2D(2)(x)])
    return tf.keras.Model(image, layers.Dense(5, bias_initializer=biases)(layers.GlobalAveragePooling2D()(x)))


def decoder(biases: str) -> tf.keras.Model:
    """Return a transposed convolution, nearest neighbors, padding, a gate (Sigmoid, Tanh, Mul), HardSwish, Softmax."""
    x = image = layers.Input((6, 6, 2))
    x = layers.Activation("hard_silu")(layers.Conv2D(6, 3, bias_initializer=biases)(x))
    x = layers.Conv2DTranspose(4, 3, strides=2, padding="same", bias_initializer=biases)(x)
    gate = layers.Activation("sigmoid")(layers.Conv2D(4, 1, bias_initializer=biases)(x))
    x = layers.Multiply()([gate, layers.Activation("tanh")(x)])
    x = layers.ZeroPadding2D(1)(layers.UpSampling2D(2)(x))
    x = layers.Flatten()(layers.AveragePooling2D(3)(x))
    return tf.keras.Model(image, layers.Softmax()(layers.Dense(3, bias_initializer=biases)(x)))


NETWORKS = {"residual": residual, "decoder": decoder}


def samples(shape: tuple[int, ...]) -> Iterator[list[np.ndarray]]:
    random = np.random.default_rng(0)
    for _ in range(32):
        yield [random.normal(0, 1, (1, *shape)).astype(np.float32)]


def tflite(case: Case) -> bytes:
    """Return the model with int8 weights and activations."""
    tf.keras.utils.set_random_seed(0)
    model = NETWORKS[case.network](case.biases)
    shape = model.inputs[0].shape[1:]
    model(np.concatenate([s[0] for s in samples(shape)]), training=True)  # sets the batch norms' statistics
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: samples(shape)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = case.ends
    converter._experimental_disable_per_channel = not case.per_channel
    return converter.convert()


def main() -> None:
    for case in CASES:
        with tempfile.NamedTemporaryFile(suffix=".tflite") as file:
            Path(file.name).write_bytes(tflite(case))
            tf2onnx.convert.from_tflite(file.name, opset=OPSET, output_path=str(case.path))


if __name__ == "__main__":
    main()
