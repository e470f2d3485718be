/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ENUM_ACTIVATION_H
#define GM_INSTRUCTIONS_ENUM_ACTIVATION_H

enum gm_activation { GM_ACTIVATION_NONE = 0, GM_ACTIVATION_RELU = 1 };

#endif
