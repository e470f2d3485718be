/* Running programs, whole and in slices. */
#include "data.h"
#include "errors.h"
#include "methods.h"
#include "results.h"
#include "values.h"

#define ARRAYS_LIMIT 33 /* the session, and arrays for 32 inputs and labels */

typedef int (*program_call)(gm_session *session, float *loss);

/* Runs a program on as many samples as were given. */
static int run_given(session_obj *self, uint32_t program, program_call call, float *loss)
{
    uint32_t samples = self->counted = samples_given(self, program);
    return samples != 0 ? gm_run_rows(&self->session, program, samples, loss) : call(&self->session, loss);
}

static mp_obj_t run_with_loss(size_t n_args, const mp_obj_t *args, uint32_t program, program_call call,
                              const char *name)
{
    session_obj *self = opened(args[0]);
    float loss = 0;
    prepare_result(self);
    feed_and_begin(self, program, n_args - 1, args + 1);
    check(run_given(self, program, call, &loss), name);
    return give_result(self, loss);
}

static mp_obj_t step(size_t n_args, const mp_obj_t *args)
{
    return run_with_loss(n_args, args, GM_PROGRAM_STEP, gm_step, "step");
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(step_obj, 1, ARRAYS_LIMIT, step);

static mp_obj_t eval_step(size_t n_args, const mp_obj_t *args)
{
    return run_with_loss(n_args, args, GM_PROGRAM_EVAL, gm_eval_step, "eval");
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(eval_step_obj, 1, ARRAYS_LIMIT, eval_step);

static mp_obj_t train_step(size_t n_args, const mp_obj_t *args)
{
    return run_with_loss(n_args, args, GM_PROGRAM_TRAIN, gm_train_step, "train");
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(train_step_obj, 1, ARRAYS_LIMIT, train_step);

static int infer_all(gm_session *session, float *loss)
{
    (void)loss;
    return gm_infer(session);
}

static mp_obj_t infer(size_t n_args, const mp_obj_t *args)
{
    session_obj *self = opened(args[0]);
    const gm_tensor *tensor;
    feed_and_begin(self, GM_PROGRAM_INFER, n_args - 1, args + 1);
    check(run_given(self, GM_PROGRAM_INFER, infer_all, NULL), "infer");
    mp_obj_t list = mp_obj_new_list(0, NULL);
    for (uint32_t i = 0; (tensor = find_tensor(self, GM_ROLE_OUTPUT, 1u << GM_PROGRAM_INFER, i)) != NULL; ++i) {
        uint32_t size = size_of_samples(self, tensor, samples_made(self, tensor));
        mp_obj_list_append(list, new_copy(self->session.arena + tensor->offset, size, tensor->dtype));
    }
    return list;
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(infer_obj, 1, ARRAYS_LIMIT, infer);

static mp_obj_t optimizer_step(mp_obj_t self_in)
{
    session_obj *self = opened(self_in);
    feed_and_begin(self, GM_PROGRAM_OPTIMIZER, 0, NULL);
    check(gm_optimizer_step(&self->session), "optimizer_step");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_1(optimizer_step_obj, optimizer_step);

static mp_obj_t lazy_reset_grad(mp_obj_t self)
{
    check(gm_lazy_reset_grad(&opened(self)->session), "lazy_reset_grad");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_1(lazy_reset_grad_obj, lazy_reset_grad);

static mp_obj_t classify(size_t n_args, const mp_obj_t *args, mp_map_t *named)
{
    session_obj *self = opened(args[0]);
    mp_obj_t row = optional(n_args, args, named, 1, MP_QSTR_row);
    uint32_t label;
    float score;
    check(gm_classify(&self->session, row != MP_OBJ_NULL ? u32_of(row) : 0, &label, &score), "classify");
    mp_obj_t found[] = {mp_obj_new_int_from_uint(label), mp_obj_new_float_from_f(score)};
    return mp_obj_new_tuple(2, found);
}
MP_DEFINE_CONST_FUN_OBJ_KW(classify_obj, 1, classify);

#if WITH_REST

static mp_obj_t class_names(mp_obj_t self_in)
{
    session_obj *self = opened(self_in);
    mp_obj_t list = mp_obj_new_list(0, NULL);
    const char *name;
    for (uint32_t label = 0; (name = gm_class_name(&self->session, label)) != NULL; ++label) {
        mp_obj_list_append(list, new_text(name));
    }
    return list;
}
MP_DEFINE_CONST_FUN_OBJ_1(class_names_obj, class_names);

#endif

static mp_obj_t loss(mp_obj_t self, mp_obj_t program)
{
    float value;
    check(gm_loss(&opened(self)->session, program_of(program), &value), "loss");
    return mp_obj_new_float_from_f(value);
}
MP_DEFINE_CONST_FUN_OBJ_2(loss_obj, loss);

#if WITH_REST

static mp_obj_t begin(mp_obj_t self_in, mp_obj_t name)
{
    session_obj *self = opened(self_in);
    uint32_t program = program_of(name);
    feed_and_begin(self, program, 0, NULL);
    uint32_t samples = self->counted = samples_given(self, program);
    check(samples != 0 ? gm_begin_rows(&self->session, program, samples) : gm_begin(&self->session, program), "begin");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(begin_obj, begin);

static mp_obj_t run(mp_obj_t self, mp_obj_t max_instructions)
{
    int code = gm_run(&opened(self)->session, u32_of(max_instructions));
    check(code, "run");
    return mp_obj_new_bool(code != GM_AGAIN);
}
MP_DEFINE_CONST_FUN_OBJ_2(run_obj, run);

static mp_obj_t abort_run(mp_obj_t self)
{
    gm_abort(&opened(self)->session);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_1(abort_obj, abort_run);

static mp_obj_t run_program(mp_obj_t self, mp_obj_t name)
{
    uint32_t program = program_of(name);
    int code;
    begin(self, name);
    do {
        code = gm_run(&opened(self)->session, UINT32_MAX);
    } while (code == GM_AGAIN);
    check(code, "run");
    return program == GM_PROGRAM_INFER || program == GM_PROGRAM_OPTIMIZER ? mp_const_none : loss(self, name);
}
MP_DEFINE_CONST_FUN_OBJ_2(run_program_obj, run_program);

#endif
