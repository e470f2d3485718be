/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ENUM_REDUCTION_H
#define GM_INSTRUCTIONS_ENUM_REDUCTION_H

enum gm_reduction { GM_REDUCTION_NONE = 0, GM_REDUCTION_SUM = 1, GM_REDUCTION_MEAN = 2 };

#endif
