"""Generates tests/support/data/keras_*.onnx, which tests read; kept so that they can be made again.

python3.11 -m venv venv
venv/bin/pip install 'tensorflow-cpu==2.15.1' 'tf2onnx==1.17.0' 'onnx==1.16.2'
venv/bin/python make_keras.py
"""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf
import tf2onnx

HERE = Path(__file__).resolve().parent


def classifier() -> tf.keras.Model:
    """Return a Flatten of an image, Dense, Dropout, softmax. Biases are random, since zeros would be optimized away."""
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input((4, 4, 1), name="image"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(8, activation="relu", bias_initializer="random_normal"),
            tf.keras.layers.Dropout(0.25),
            tf.keras.layers.Dense(3, activation="softmax", bias_initializer="random_normal", name="probabilities"),
        ]
    )


def regressor() -> tf.keras.Model:
    """Return a Reshape with an inferred dimension, and a Dense on three axes."""
    series = tf.keras.layers.Input((12,), name="series")
    steps = tf.keras.layers.Reshape((-1, 3))(series)
    hidden = tf.keras.layers.Dense(5, activation="tanh", bias_initializer="random_normal")(steps)
    hidden = tf.keras.layers.LeakyReLU(0.1)(tf.keras.layers.Dense(4)(hidden))
    flat = tf.keras.layers.Flatten()(hidden)
    return tf.keras.Model(series, tf.keras.layers.Dense(1, activation="sigmoid", name="level")(flat))


def main() -> None:
    tf.keras.utils.set_random_seed(0)
    for name, model in (("classifier", classifier()), ("regressor", regressor())):
        signature = [tf.TensorSpec((None, *model.inputs[0].shape[1:]), tf.float32, name=model.inputs[0].name)]
        tf2onnx.convert.from_keras(model, signature, opset=15, output_path=str(HERE / f"keras_{name}.onnx"))


if __name__ == "__main__":
    main()
