/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_RULES_H
#define GM_RULES_H

#include <stdint.h>
#include "gm_config.h"

enum gm_rule_kind {
    GM_RULE_SGD = 0, /* g += wd p; p -= lr g */
    GM_RULE_MOMENTUM = 1, /* g += wd p; v = momentum v + g; p -= lr (nesterov ? g + momentum v : v) */
    GM_RULE_ADAM = 2, /* g += wd p; m += (1-b1)(g - m); v = b2 v + (1-b2) g^2; p -= (lr/c1) m / (sqrt(v)/sqrt(c2) + eps) */
    GM_RULE_ADAMW = 3, /* p *= 1 - lr wd; then as adam without weight decay (PyTorch) */
    GM_RULE_ADAMW_ORT = 4, /* m, v as adam; p -= (lr sqrt(c2)/c1) m / (sqrt(v) + eps); then p -= lr wd p (onnxruntime-training) */
    GM_RULE_COUNT = 5
};

typedef struct gm_rule_sgd { uint32_t kind; float weight_decay; } gm_rule_sgd;
typedef struct gm_rule_momentum { uint32_t kind; float weight_decay; float momentum; float nesterov; } gm_rule_momentum;
typedef struct gm_rule_adam { uint32_t kind; float weight_decay; float beta1; float one_minus_beta1; float beta2; float one_minus_beta2; float eps; } gm_rule_adam;
typedef struct gm_rule_adamw { uint32_t kind; float weight_decay; float beta1; float one_minus_beta1; float beta2; float one_minus_beta2; float eps; } gm_rule_adamw;
typedef struct gm_rule_adamw_ort { uint32_t kind; float weight_decay; float beta1; float one_minus_beta1; float beta2; float one_minus_beta2; float eps; } gm_rule_adamw_ort;

#ifndef GM_WITH_SGD
#define GM_WITH_SGD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MOMENTUM
#define GM_WITH_MOMENTUM (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_ADAM
#define GM_WITH_ADAM (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_ADAMW
#define GM_WITH_ADAMW (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_ADAMW_ORT
#define GM_WITH_ADAMW_ORT (!GM_ONLY_SELECTED)
#endif

/* Moment tensors that a rule needs, and whether it reads bias corrections. */
#define GM_RULE_SLOTS { 0, 1, 2, 2, 2 }
#define GM_RULE_AUX { 0, 0, 1, 1, 1 }

#endif
