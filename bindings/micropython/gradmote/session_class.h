/* The functions of Session's type, besides its methods. */
#ifndef SESSION_CLASS_H
#define SESSION_CLASS_H

#include "session.h"

mp_obj_t session_make_new(const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *args);
void session_print(const mp_print_t *print, mp_obj_t self, mp_print_kind_t kind);
void session_attr(mp_obj_t self, qstr attr, mp_obj_t *out);

#endif
