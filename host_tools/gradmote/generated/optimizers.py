# Rendered from runtime_c/spec by `scons render`; do not edit.
# fmt: off
from typing import Any

RULES: dict[str, Any] = {'sgd': {'kind': 0, 'slots': 0, 'aux': False, 'hyper': ['weight_decay'], 'meaning': 'g += wd p; p -= lr g'},
 'momentum': {'kind': 1,
              'slots': 1,
              'aux': False,
              'hyper': ['weight_decay', 'momentum', 'nesterov'],
              'meaning': 'g += wd p; v = momentum v + g; p -= lr (nesterov ? g + momentum v : v)'},
 'adam': {'kind': 2,
          'slots': 2,
          'aux': True,
          'hyper': ['weight_decay', 'beta1', 'one_minus_beta1', 'beta2', 'one_minus_beta2', 'eps'],
          'meaning': 'g += wd p; m += (1-b1)(g - m); v = b2 v + (1-b2) g^2; p -= (lr/c1) m / '
                     '(sqrt(v)/sqrt(c2) + eps)'},
 'adamw': {'kind': 3,
           'slots': 2,
           'aux': True,
           'hyper': ['weight_decay', 'beta1', 'one_minus_beta1', 'beta2', 'one_minus_beta2', 'eps'],
           'meaning': 'p *= 1 - lr wd; then as adam without weight decay (PyTorch)'},
 'adamw_ort': {'kind': 4,
               'slots': 2,
               'aux': True,
               'hyper': ['weight_decay', 'beta1', 'one_minus_beta1', 'beta2', 'one_minus_beta2', 'eps'],
               'meaning': 'm, v as adam; p -= (lr sqrt(c2)/c1) m / (sqrt(v) + eps); then p -= lr wd p '
                          '(onnxruntime-training)'}}
