/* Methods that a native module leaves out if it is only for training, inference and checkpoints.
 * They are not in module.c, because such a module keeps every name in its sources. */
#ifndef REST_METHODS_H
#define REST_METHODS_H

#define REST_METHODS(X)                             \
    X(MP_QSTR_requirements, requirements_obj)       \
    X(MP_QSTR_poison, poison_obj)                   \
    X(MP_QSTR_inputs, inputs_obj)                   \
    X(MP_QSTR_labels, labels_obj)                   \
    X(MP_QSTR_outputs, outputs_obj)                 \
    X(MP_QSTR_begin, begin_obj)                     \
    X(MP_QSTR_run, run_obj)                         \
    X(MP_QSTR_abort, abort_obj)                     \
    X(MP_QSTR_run_program, run_program_obj)         \
    X(MP_QSTR_class_names, class_names_obj)         \
    X(MP_QSTR_control, control_obj)                 \
    X(MP_QSTR_parameter_names, parameter_names_obj) \
    X(MP_QSTR_parameter, parameter_obj)             \
    X(MP_QSTR_gradient, gradient_obj)               \
    X(MP_QSTR_set_parameters, set_parameters_obj)   \
    X(MP_QSTR_delta, delta_obj)                     \
    X(MP_QSTR_apply_delta, apply_delta_obj)         \
    X(MP_QSTR_state_sha256, state_sha256_obj)       \
    X(MP_QSTR_begin_round, begin_round_obj)         \
    X(MP_QSTR_round_base, round_base_obj)           \
    X(MP_QSTR_round_delta, round_delta_obj)         \
    X(MP_QSTR_check_delta, check_delta_obj)         \
    X(MP_QSTR_end_round, end_round_obj)             \
    X(MP_QSTR_carry_over, carry_over_obj)           \
    X(MP_QSTR_export_model, export_model_obj)       \
    X(MP_QSTR_export_model_to, export_model_to_obj) \
    X(MP_QSTR_set_property, set_property_obj)       \
    X(MP_QSTR_get_property, get_property_obj)       \
    X(MP_QSTR_properties, properties_obj)           \
    X(MP_QSTR_remove_property, remove_property_obj)

#if GM_WITH_STORE
#define STORE_METHODS(X)                      \
    X(MP_QSTR_store, store_obj)               \
    X(MP_QSTR_store_class, store_class_obj)   \
    X(MP_QSTR_learn, learn_obj)               \
    X(MP_QSTR_replay, replay_obj)             \
    X(MP_QSTR_begin_replay, begin_replay_obj) \
    X(MP_QSTR_forget, forget_obj)             \
    X(MP_QSTR_score, score_obj)
#else
#define STORE_METHODS(X)
#endif

#endif
