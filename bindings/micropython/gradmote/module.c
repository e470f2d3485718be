/* The module: its class, its exceptions, and the tables of their names. */
#include "errors.h"
#include "methods.h"
#include "session_class.h"
#include "values.h"

#define CORE_METHODS(X)                                     \
    X(MP_QSTR_reset, reset_obj)                             \
    X(MP_QSTR_close, close_obj)                             \
    X(MP_QSTR___enter__, enter_obj)                         \
    X(MP_QSTR___exit__, exit_obj)                           \
    X(MP_QSTR_set_input, set_input_obj)                     \
    X(MP_QSTR_set_label, set_label_obj)                     \
    X(MP_QSTR_input_view, input_view_obj)                   \
    X(MP_QSTR_label_view, label_view_obj)                   \
    X(MP_QSTR_output, output_obj)                           \
    X(MP_QSTR_infer, infer_obj)                             \
    X(MP_QSTR_eval_step, eval_step_obj)                     \
    X(MP_QSTR_train_step, train_step_obj)                   \
    X(MP_QSTR_step, step_obj)                               \
    X(MP_QSTR_optimizer_step, optimizer_step_obj)           \
    X(MP_QSTR_lazy_reset_grad, lazy_reset_grad_obj)         \
    X(MP_QSTR_loss, loss_obj)                               \
    X(MP_QSTR_classify, classify_obj)                       \
    X(MP_QSTR_set_linear_schedule, set_linear_schedule_obj) \
    X(MP_QSTR_set_seed, set_seed_obj)                       \
    X(MP_QSTR_parameters, parameters_obj)                   \
    X(MP_QSTR_state, state_obj)                             \
    X(MP_QSTR_save, save_obj)                               \
    X(MP_QSTR_save_to, save_to_obj)                         \
    X(MP_QSTR_load, load_obj)

#if WITH_REST
#include "rest_methods.h"
#else
#define REST_METHODS(X)
#define STORE_METHODS(X)
#endif

#define METHODS(X) CORE_METHODS(X) REST_METHODS(X) STORE_METHODS(X)

/* crc32(data, crc=0), like binascii's, which not every port has. */
static mp_obj_t crc32(size_t n_args, const mp_obj_t *args)
{
    mp_buffer_info_t data;
    mp_get_buffer_raise(args[0], &data, MP_BUFFER_READ);
    return mp_obj_new_int_from_uint(gm_crc32(n_args > 1 ? u32_of(args[1]) : 0, data.buf, data.len));
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(crc32_obj, 1, 2, crc32);

#if !GRADMOTE_NATIVE
/* Returns parts, rules and opcodes of this build, in the form of the console's message BUILD. */
static mp_obj_t build(void)
{
    byte bits[40] = {(GM_TRAINING ? 1 : 0) | (GM_WITH_STORE ? 2 : 0) | (GM_WITH_INT8 ? 4 : 0) |
                     (GM_WITH_SHORT_MOMENTS ? 8 : 0)};
    for (uint32_t rule = 0; rule < 32; ++rule) {
        bits[4 + rule / 8] |= (byte)(gm_has_rule(rule) << rule % 8);
    }
    for (uint32_t opcode = 0; opcode < 256; ++opcode) {
        bits[8 + opcode / 8] |= (byte)(gm_has_opcode(opcode) << opcode % 8);
    }
    return mp_obj_new_bytes(bits, sizeof bits);
}
static MP_DEFINE_CONST_FUN_OBJ_0(build_obj, build);
#endif

#define TEXT(x) #x
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
#define VERSION DOTTED(GM_VERSION_MAJOR, GM_VERSION_MINOR, GM_VERSION_PATCH)

#if !GRADMOTE_NATIVE

static MP_DEFINE_CONST_STATICMETHOD_OBJ(required_static, MP_ROM_PTR(&required_obj));

#define METHOD_ENTRY(name, object) {MP_ROM_QSTR(name), MP_ROM_PTR(&object)},
static const mp_rom_map_elem_t session_table[] = {{MP_ROM_QSTR(MP_QSTR_required), MP_ROM_PTR(&required_static)},
                                                  METHODS(METHOD_ENTRY)};
static MP_DEFINE_CONST_DICT(session_dict, session_table);

MP_DEFINE_CONST_OBJ_TYPE(session_type, MP_QSTR_Session, MP_TYPE_FLAG_NONE, make_new, session_make_new, print,
                         session_print, attr, session_attr, locals_dict, &session_dict);

#ifdef GRADMOTE_IMAGE
/* gradmote.image: the image written by `gradmote header`, in flash. */
#include GRADMOTE_IMAGE
static const mp_obj_str_t image_obj = {{&mp_type_bytes}, 0, sizeof model_image, (const byte *)model_image};
#endif

static MP_DEFINE_STR_OBJ(version_obj, VERSION);
#if GM_FUSED
static MP_DEFINE_STR_OBJ(profile_obj, "fused");
#else
static MP_DEFINE_STR_OBJ(profile_obj, "strict");
#endif

static const mp_rom_map_elem_t module_table[] = {
    {MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_gradmote)},
    {MP_ROM_QSTR(MP_QSTR___version__), MP_ROM_PTR(&version_obj)},
    {MP_ROM_QSTR(MP_QSTR_profile), MP_ROM_PTR(&profile_obj)},
    {MP_ROM_QSTR(MP_QSTR_crc32), MP_ROM_PTR(&crc32_obj)},
    {MP_ROM_QSTR(MP_QSTR_build), MP_ROM_PTR(&build_obj)},
    {MP_ROM_QSTR(MP_QSTR_Session), MP_ROM_PTR(&session_type)},
    {MP_ROM_QSTR(MP_QSTR_GradmoteError), MP_ROM_PTR(&error_type)},
    {MP_ROM_QSTR(MP_QSTR_DataError), MP_ROM_PTR(&data_error_type)},
    {MP_ROM_QSTR(MP_QSTR_RuntimeFault), MP_ROM_PTR(&fault_type)},
#ifdef GRADMOTE_IMAGE
    {MP_ROM_QSTR(MP_QSTR_image), MP_ROM_PTR(&image_obj)},
#endif
};
static MP_DEFINE_CONST_DICT(module_dict, module_table);

const mp_obj_module_t gradmote_module = {.base = {&mp_type_module}, .globals = (mp_obj_dict_t *)&module_dict};
MP_REGISTER_MODULE(MP_QSTR_gradmote, gradmote_module);

#else

#define COUNT_METHOD(name, object) +1
#define METHOD_COUNT (0 METHODS(COUNT_METHOD) + WITH_REST)

module_type session_type;
mp_map_elem_t session_table[METHOD_COUNT];
static MP_DEFINE_CONST_DICT(session_dict, session_table);

void make_error_types(void);

/* The names are known only after the module is loaded. */
static void fill_session_table(void)
{
    mp_map_elem_t *entry = session_table;
#define STORE_METHOD(name, object)           \
    entry->key = MP_OBJ_NEW_QSTR(name);      \
    entry->value = MP_OBJ_FROM_PTR(&object); \
    ++entry;
    METHODS(STORE_METHOD)
#if WITH_REST
    mp_obj_t call = MP_OBJ_FROM_PTR(&required_obj);
    entry->key = MP_OBJ_NEW_QSTR(MP_QSTR_required);
    entry->value = mp_call_function_n_kw(mp_load_global(MP_QSTR_staticmethod), 1, 0, &call);
#endif
}

static void make_session_type(void)
{
    fill_session_table();
    session_type.base.type = (void *)&mp_type_type;
    session_type.name = MP_QSTR_Session;
    MP_OBJ_TYPE_SET_SLOT(&session_type, make_new, session_make_new, 0);
    MP_OBJ_TYPE_SET_SLOT(&session_type, attr, session_attr, 1);
    MP_OBJ_TYPE_SET_SLOT(&session_type, locals_dict, (void *)&session_dict, 2);
#if WITH_REST
    MP_OBJ_TYPE_SET_SLOT(&session_type, print, session_print, 3);
#endif
}

mp_obj_t mpy_init(mp_obj_fun_bc_t *self, size_t n_args, size_t n_kw, mp_obj_t *args)
{
    MP_DYNRUNTIME_INIT_ENTRY(void) n_args;
    (void)n_kw;
    (void)args;
    make_error_types();
    make_session_type();
    mp_store_global(MP_QSTR_GradmoteError, MP_OBJ_FROM_PTR(&error_type));
    mp_store_global(MP_QSTR_DataError, MP_OBJ_FROM_PTR(&data_error_type));
    mp_store_global(MP_QSTR_RuntimeFault, MP_OBJ_FROM_PTR(&fault_type));
    mp_store_global(MP_QSTR___version__, new_text(VERSION));
    mp_store_global(MP_QSTR_profile, new_text(GM_FUSED ? "fused" : "strict"));
    mp_store_global(MP_QSTR_crc32, MP_OBJ_FROM_PTR(&crc32_obj));
    mp_store_global(MP_QSTR_Session, MP_OBJ_FROM_PTR(&session_type));
    MP_DYNRUNTIME_INIT_EXIT
}

#endif
