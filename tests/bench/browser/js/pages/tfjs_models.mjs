// The networks of tests/numeric/models/networks.py and bench/speed/networks.py, in TensorFlow.js's layers.

const { layers } = tf;

/** What follows every layer of the DS-CNN: a batch norm like PyTorch's, and a ReLU. */
const normalized = (layer) => [
  layer, layers.batchNormalization({ epsilon: 1e-5, momentum: 0.9 }), layers.activation({ activation: "relu" }),
];

const NETWORKS = {
  mlp: (classes) => [layers.dense({ inputShape: [64], units: 32, activation: "relu" }), layers.dense({ units: classes })],
  lenet: (classes) => [
    ...[8, 16].flatMap((filters, i) => [
      layers.conv2d({ ...(i ? {} : { inputShape: [28, 28, 1] }), filters, kernelSize: 3, padding: "same", activation: "relu" }),
      layers.maxPooling2d({ poolSize: 2, strides: 2 }),
    ]),
    layers.flatten(),
    layers.dense({ units: classes }),
  ],
  ds_cnn: (classes) => [
    layers.zeroPadding2d({ inputShape: [49, 10, 1], padding: [[5, 5], [1, 1]] }),
    ...normalized(layers.conv2d({ filters: 64, kernelSize: [10, 4], strides: 2, useBias: false })),
    ...Array.from({ length: 4 }, () => [
      ...normalized(layers.depthwiseConv2d({ kernelSize: 3, padding: "same", useBias: false })),
      ...normalized(layers.conv2d({ filters: 64, kernelSize: 1, useBias: false })),
    ]).flat(),
    layers.globalAveragePooling2d({}),
    layers.dense({ units: classes }),
  ],
};

/** Returns a network with weights of its own. */
export function model(network, classes) {
  return tf.sequential({ layers: NETWORKS[network](classes) });
}
