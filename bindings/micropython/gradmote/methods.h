/* The methods of Session, as objects for a class's table. */
#ifndef METHODS_H
#define METHODS_H

#include "session.h"

/* session_class.c */
MP_DECLARE_CONST_FUN_OBJ_1(required_obj);
MP_DECLARE_CONST_FUN_OBJ_1(requirements_obj);
MP_DECLARE_CONST_FUN_OBJ_1(reset_obj);
MP_DECLARE_CONST_FUN_OBJ_1(close_obj);
MP_DECLARE_CONST_FUN_OBJ_1(enter_obj);
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN(exit_obj);
MP_DECLARE_CONST_FUN_OBJ_1(poison_obj);

/* tensors.c */
MP_DECLARE_CONST_FUN_OBJ_1(inputs_obj);
MP_DECLARE_CONST_FUN_OBJ_1(labels_obj);
MP_DECLARE_CONST_FUN_OBJ_KW(outputs_obj);
MP_DECLARE_CONST_FUN_OBJ_3(set_input_obj);
MP_DECLARE_CONST_FUN_OBJ_3(set_label_obj);
MP_DECLARE_CONST_FUN_OBJ_2(input_view_obj);
MP_DECLARE_CONST_FUN_OBJ_2(label_view_obj);
MP_DECLARE_CONST_FUN_OBJ_KW(output_obj);

/* running.c */
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN(infer_obj);
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN(eval_step_obj);
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN(train_step_obj);
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN(step_obj);
MP_DECLARE_CONST_FUN_OBJ_1(optimizer_step_obj);
MP_DECLARE_CONST_FUN_OBJ_1(lazy_reset_grad_obj);
MP_DECLARE_CONST_FUN_OBJ_2(begin_obj);
MP_DECLARE_CONST_FUN_OBJ_2(run_obj);
MP_DECLARE_CONST_FUN_OBJ_1(abort_obj);
MP_DECLARE_CONST_FUN_OBJ_2(run_program_obj);
MP_DECLARE_CONST_FUN_OBJ_2(loss_obj);
MP_DECLARE_CONST_FUN_OBJ_KW(classify_obj);
MP_DECLARE_CONST_FUN_OBJ_1(class_names_obj);

/* store.c */
MP_DECLARE_CONST_FUN_OBJ_1(store_obj);
MP_DECLARE_CONST_FUN_OBJ_2(store_class_obj);
MP_DECLARE_CONST_FUN_OBJ_KW(learn_obj);
MP_DECLARE_CONST_FUN_OBJ_1(replay_obj);
MP_DECLARE_CONST_FUN_OBJ_KW(begin_replay_obj);
MP_DECLARE_CONST_FUN_OBJ_2(forget_obj);
MP_DECLARE_CONST_FUN_OBJ_2(score_obj);

/* rate.c */
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN(set_linear_schedule_obj);
MP_DECLARE_CONST_FUN_OBJ_2(set_seed_obj);
MP_DECLARE_CONST_FUN_OBJ_1(control_obj);

/* parameters.c */
MP_DECLARE_CONST_FUN_OBJ_1(parameter_names_obj);
MP_DECLARE_CONST_FUN_OBJ_2(parameter_obj);
MP_DECLARE_CONST_FUN_OBJ_2(gradient_obj);
MP_DECLARE_CONST_FUN_OBJ_1(parameters_obj);
MP_DECLARE_CONST_FUN_OBJ_2(set_parameters_obj);
MP_DECLARE_CONST_FUN_OBJ_1(delta_obj);
MP_DECLARE_CONST_FUN_OBJ_2(apply_delta_obj);
MP_DECLARE_CONST_FUN_OBJ_1(state_obj);
MP_DECLARE_CONST_FUN_OBJ_1(state_sha256_obj);

/* rounds.c */
MP_DECLARE_CONST_FUN_OBJ_2(begin_round_obj);
MP_DECLARE_CONST_FUN_OBJ_1(round_base_obj);
MP_DECLARE_CONST_FUN_OBJ_KW(round_delta_obj);
MP_DECLARE_CONST_FUN_OBJ_2(check_delta_obj);
MP_DECLARE_CONST_FUN_OBJ_KW(end_round_obj);

/* checkpoints.c */
MP_DECLARE_CONST_FUN_OBJ_KW(save_obj);
MP_DECLARE_CONST_FUN_OBJ_KW(save_to_obj);
MP_DECLARE_CONST_FUN_OBJ_2(load_obj);
MP_DECLARE_CONST_FUN_OBJ_2(carry_over_obj);
MP_DECLARE_CONST_FUN_OBJ_2(export_model_obj);
MP_DECLARE_CONST_FUN_OBJ_3(export_model_to_obj);

/* properties.c */
MP_DECLARE_CONST_FUN_OBJ_3(set_property_obj);
MP_DECLARE_CONST_FUN_OBJ_2(get_property_obj);
MP_DECLARE_CONST_FUN_OBJ_1(properties_obj);
MP_DECLARE_CONST_FUN_OBJ_2(remove_property_obj);

#endif
