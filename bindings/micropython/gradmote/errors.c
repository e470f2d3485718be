/*
 * The exceptions: GradmoteError, and its subclasses DataError and RuntimeFault, with the same
 * attributes as on CPython: message, hint, and a fault's code and name.
 *
 * `args` holds them. A native .mpy has no room for texts: there the attributes name and hint come
 * from gradmote_errors.py, and raise ImportError if that is not installed.
 */
#include "errors.h"

#include <string.h>

#if WITH_TEXTS
#include "../generated/error_names.h"
#endif

enum { MESSAGE, HINT, CODE };

static mp_obj_tuple_t *args_of(mp_obj_t error)
{
    return ((mp_obj_exception_t *)MP_OBJ_TO_PTR(error))->args;
}

static mp_obj_t arg(mp_obj_t error, size_t index)
{
    mp_obj_tuple_t *args = args_of(error);
    return args != NULL && index < args->len ? args->items[index] : mp_const_none;
}

/* Prints an instance as its message and its hint, with a dash between them. */
static void error_print(const mp_print_t *print, mp_obj_t error, mp_print_kind_t kind)
{
    size_t length = 0;
    if (args_of(error) == NULL || args_of(error)->len < 2 || (kind & ~PRINT_EXC_SUBCLASS) == PRINT_REPR) {
        mp_obj_exception_print(print, error, kind);
        return;
    }
    if (kind == PRINT_EXC) {
        mp_printf(print, "%q: ", (qstr)mp_obj_get_type(error)->name);
    }
    const char *message = mp_obj_str_get_data(arg(error, MESSAGE), &length);
    mp_printf(print, "%.*s", (int)length, message);
    const char *hint = mp_obj_str_get_data(arg(error, HINT), &length);
    if (length != 0) {
        mp_printf(print, " - %.*s", (int)length, hint);
    }
}

/* Returns the name of a code, such as NOT_FINITE. */
static mp_obj_t name_of(mp_obj_t code)
{
#if WITH_TEXTS
    const char *name = error_name(mp_obj_get_int(code));
    return mp_obj_new_str(name, strlen(name));
#else
    mp_obj_t module = mp_import_name(MP_QSTR_gradmote_errors, mp_const_none, MP_OBJ_NEW_SMALL_INT(0));
    mp_obj_t entry = mp_obj_subscr(mp_load_attr(module, MP_QSTR_ERRORS), code, MP_OBJ_SENTINEL);
    return mp_obj_subscr(entry, MP_OBJ_NEW_SMALL_INT(0), MP_OBJ_SENTINEL);
#endif
}

static void error_attr(mp_obj_t error, qstr attr, mp_obj_t *out)
{
    if (out[0] != MP_OBJ_NULL) {
        return;
    }
    if (attr == MP_QSTR_message) {
        out[0] = arg(error, MESSAGE);
    } else if (attr == MP_QSTR_hint) {
        out[0] = arg(error, HINT);
    } else if (attr == MP_QSTR_code) {
        out[0] = arg(error, CODE);
    } else if (attr == MP_QSTR_name && arg(error, CODE) != mp_const_none) {
        out[0] = name_of(arg(error, CODE));
    } else {
        mp_obj_exception_attr(error, attr, out);
    }
}

#if GRADMOTE_NATIVE

module_type error_type, data_error_type, fault_type;

static void make_error_type(module_type *type, qstr name, const void *parent)
{
    mp_obj_exception_init(type, name, parent);
    MP_OBJ_TYPE_SET_SLOT(type, print, error_print, 1);
    MP_OBJ_TYPE_SET_SLOT(type, attr, error_attr, 2);
}

void make_error_types(void)
{
    make_error_type(&error_type, MP_QSTR_GradmoteError, &mp_type_Exception);
    make_error_type(&data_error_type, MP_QSTR_DataError, &error_type);
    make_error_type(&fault_type, MP_QSTR_RuntimeFault, &error_type);
}

#else

#define DEFINE_ERROR_TYPE(type, name, of)                                                                            \
    MP_DEFINE_CONST_OBJ_TYPE(type, name, MP_TYPE_FLAG_NONE, make_new, mp_obj_exception_make_new, print, error_print, \
                             attr, error_attr, parent, of)

DEFINE_ERROR_TYPE(error_type, MP_QSTR_GradmoteError, &mp_type_Exception);
DEFINE_ERROR_TYPE(data_error_type, MP_QSTR_DataError, &error_type);
DEFINE_ERROR_TYPE(fault_type, MP_QSTR_RuntimeFault, &error_type);

#endif

static NORETURN void raise_with(module_type *type, mp_obj_t message, const char *hint, mp_obj_t code)
{
    mp_obj_t args[] = {message, new_text(hint), code};
    size_t count = code == mp_const_none ? 2 : 3;
    nlr_raise(mp_call_function_n_kw(MP_OBJ_FROM_PTR(type), count, 0, args));
}

void raise_error(const char *message, const char *hint)
{
    raise_with(&error_type, new_text(message), hint, mp_const_none);
}

void raise_data_error(const char *message, const char *hint)
{
    raise_with(&data_error_type, new_text(message), hint, mp_const_none);
}

#if WITH_TEXTS

static mp_obj_t fault_message(int code, const char *where)
{
    vstr_t text;
    vstr_init(&text, 96);
    vstr_printf(&text, "%s: %s (GM_ERR_%s, %d)", where, gm_error_text(code), error_name(code), code);
    return mp_obj_new_str_from_vstr(&text);
}

#else

#define gm_error_hint(code) "gradmote_errors.py has what it means"

/* "where: error -NN" */
static mp_obj_t fault_message(int code, const char *where)
{
    char text[48];
    static const char middle[] = ": error -";
    size_t length = strlen(where), at = length < 32 ? length : 32;
    unsigned number = (unsigned)-code;
    memcpy(text, where, at);
    memcpy(text + at, middle, sizeof middle - 1);
    at += sizeof middle - 1;
    text[at] = (char)('0' + number / 10 % 10);
    text[at + 1] = (char)('0' + number % 10);
    return mp_obj_new_str(text, at + 2);
}

#endif

void check(int code, const char *where)
{
    if (code < 0) {
        raise_with(&fault_type, fault_message(code, where), gm_error_hint(code), MP_OBJ_NEW_SMALL_INT(code));
    }
}
