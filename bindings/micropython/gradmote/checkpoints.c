/*
 * Checkpoints: as bytes, and to and from streams, such as files. This uses MicroPython's stream
 * protocol, which allocates nothing and returns errors instead of raising them.
 */
#include "errors.h"
#include "methods.h"
#include "values.h"

#include <string.h>

#include "py/stream.h"

/* ---- Bytes ------------------------------------------------------------------------------------ */

typedef struct bytes_file {
    uint8_t *bytes;
    size_t size;
} bytes_file;

static int write_bytes(void *user, uint32_t offset, const void *data, uint32_t size)
{
    const bytes_file *file = user;
    if (offset > file->size || size > file->size - offset) {
        return -1;
    }
    memcpy(file->bytes + offset, data, size);
    return 0;
}

static int read_bytes(void *user, uint32_t offset, void *data, uint32_t size)
{
    const bytes_file *file = user;
    if (offset > file->size || size > file->size - offset) {
        return -1;
    }
    memcpy(data, file->bytes + offset, size);
    return 0;
}

/* ---- Streams ---------------------------------------------------------------------------------- */

typedef struct stream_file {
    mp_obj_t stream;
    const mp_stream_p_t *protocol;
    uint32_t at; /* position of the stream */
    int error;   /* last error of the stream */
} stream_file;

static stream_file open_stream(mp_obj_t stream, int flags)
{
    stream_file file = {stream, mp_get_stream_raise(stream, flags | MP_STREAM_OP_IOCTL), 0, 0};
    return file;
}

/* whence: 0 is the start, 2 the end. Returns 0, or -1. */
static int seek(stream_file *file, uint32_t offset, int whence)
{
    struct mp_stream_seek_t to = {(mp_off_t)offset, whence};
    mp_uint_t result = file->protocol->ioctl(file->stream, MP_STREAM_SEEK, (uintptr_t)&to, &file->error);
    file->at = (uint32_t)to.offset;
    return result == MP_STREAM_ERROR ? -1 : 0;
}

typedef mp_uint_t (*transfer_call)(mp_obj_t stream, void *data, mp_uint_t size, int *error);

/* Reads or writes all of `size` bytes at an offset. */
static int transfer(stream_file *file, transfer_call call, uint32_t offset, uint8_t *data, uint32_t size)
{
    if (file->at != offset && seek(file, offset, 0) != 0) {
        return -1;
    }
    while (size > 0) {
        mp_uint_t count = call(file->stream, data, size, &file->error);
        if (count == MP_STREAM_ERROR || count == 0 || count > size) {
            return -1;
        }
        data += count;
        size -= (uint32_t)count;
        file->at += (uint32_t)count;
    }
    return 0;
}

static int write_stream(void *user, uint32_t offset, const void *data, uint32_t size)
{
    stream_file *file = user;
    return transfer(file, (transfer_call)(uintptr_t)file->protocol->write, offset, (uint8_t *)(uintptr_t)data, size);
}

static int read_stream(void *user, uint32_t offset, void *data, uint32_t size)
{
    stream_file *file = user;
    return transfer(file, file->protocol->read, offset, data, size);
}

/* ---- Saving ----------------------------------------------------------------------------------- */

#if WITH_REST
static int is_half(size_t n_args, const mp_obj_t *args, mp_map_t *named, size_t position)
{
    mp_obj_t half = optional(n_args, args, named, position, MP_QSTR_half);
    return half != MP_OBJ_NULL && mp_obj_is_true(half);
}
#else
#define is_half(n_args, args, named, position) \
    ((void)(named), mp_arg_check_num(n_args, 0, position, position, false), 0)
#endif

static uint32_t size_of(const session_obj *self, int half)
{
#if WITH_REST
    return half ? gm_checkpoint_half_size(&self->session) : gm_checkpoint_size(&self->session);
#else
    (void)half;
    return gm_checkpoint_size(&self->session);
#endif
}

static int save_with(const session_obj *self, int half, gm_write_fn write, void *file)
{
#if WITH_REST
    return half ? gm_checkpoint_save_half(&self->session, write, file)
                : gm_checkpoint_save(&self->session, write, file);
#else
    (void)half;
    return gm_checkpoint_save(&self->session, write, file);
#endif
}

static mp_obj_t save(size_t n_args, const mp_obj_t *args, mp_map_t *named)
{
    const session_obj *self = opened(args[0]);
    int half = is_half(n_args, args, named, 1);
    bytes_file file = {NULL, size_of(self, half)};
    file.bytes = allocate(file.size);
    check(save_with(self, half, write_bytes, &file), "save");
    return mp_obj_new_bytes(file.bytes, file.size);
}
MP_DEFINE_CONST_FUN_OBJ_KW(save_obj, 1, save);

/* save_to(stream, half): writes the header last, so that an incomplete file is refused. It first
 * writes room for it, since not every file system can seek past the end. */
static mp_obj_t save_to(size_t n_args, const mp_obj_t *args, mp_map_t *named)
{
    static const gm_checkpoint no_header;
    const session_obj *self = opened(args[0]);
    int half = is_half(n_args, args, named, 2);
    stream_file file = open_stream(args[1], MP_STREAM_OP_WRITE);
    int failed = seek(&file, 0, 0) != 0 || write_stream(&file, 0, &no_header, sizeof no_header) != 0;
    check(failed ? GM_ERR_IO : save_with(self, half, write_stream, &file), "save_to");
    return mp_obj_new_int_from_uint(size_of(self, half));
}
MP_DEFINE_CONST_FUN_OBJ_KW(save_to_obj, 2, save_to);

/* ---- Loading ---------------------------------------------------------------------------------- */

typedef int (*load_call)(session_obj *self, gm_read_fn read, void *file, size_t size, uint32_t *carried);

static int load_state(session_obj *self, gm_read_fn read, void *file, size_t size, uint32_t *carried)
{
    (void)carried;
    return gm_checkpoint_load(&self->session, read, file, size);
}

/* A stream written in Python may raise in the middle. The state is then reset before the session is
 * used again. */
static void load_with(session_obj *self, load_call call, gm_read_fn read, void *file, size_t size, uint32_t *carried)
{
    self->is_torn = 1;
    int code = call(self, read, file, size, carried);
    self->is_torn = 0;
    check(code, "load");
}

static void load_any(session_obj *self, load_call call, mp_obj_t source, uint32_t *carried)
{
    mp_buffer_info_t buffer;
    if (mp_get_buffer(source, &buffer, MP_BUFFER_READ)) {
        bytes_file bytes = {buffer.buf, buffer.len};
        load_with(self, call, read_bytes, &bytes, bytes.size, carried);
        return;
    }
    stream_file file = open_stream(source, MP_STREAM_OP_READ);
    check(seek(&file, 0, 2) != 0 ? GM_ERR_IO : GM_OK, "load");
    load_with(self, call, read_stream, &file, file.at, carried);
}

static mp_obj_t load(mp_obj_t self, mp_obj_t source)
{
    uint32_t carried;
    load_any(opened(self), load_state, source, &carried);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(load_obj, load);

#if WITH_REST

static int carry_state(session_obj *self, gm_read_fn read, void *file, size_t size, uint32_t *carried)
{
    return gm_checkpoint_carry_over(&self->session, read, file, size, carried);
}

static mp_obj_t carry_over(mp_obj_t self, mp_obj_t source)
{
    uint32_t carried = 0;
    load_any(opened(self), carry_state, source, &carried);
    return mp_obj_new_int_from_uint(carried);
}
MP_DEFINE_CONST_FUN_OBJ_2(carry_over_obj, carry_over);

/* ---- The trained model as ONNX ------------------------------------------------------------------ */

/* An export table, in bytes or in a stream, and the stream for the model. */
typedef struct export_files {
    bytes_file bytes;
    stream_file from, to;
    int is_stream;
} export_files;

static int read_table(void *user, uint32_t offset, void *data, uint32_t size)
{
    export_files *files = user;
    return files->is_stream ? read_stream(&files->from, offset, data, size)
                            : read_bytes(&files->bytes, offset, data, size);
}

static int write_model(void *user, uint32_t offset, const void *data, uint32_t size)
{
    export_files *files = user;
    return write_stream(&files->to, offset, data, size);
}

/* Opens a table. Returns its size. */
static size_t open_table(export_files *files, mp_obj_t source)
{
    mp_buffer_info_t buffer;
    files->is_stream = !mp_get_buffer(source, &buffer, MP_BUFFER_READ);
    if (!files->is_stream) {
        files->bytes = (bytes_file){buffer.buf, buffer.len};
        return buffer.len;
    }
    files->from = open_stream(source, MP_STREAM_OP_READ);
    check(seek(&files->from, 0, 2) != 0 ? GM_ERR_IO : GM_OK, "export_model");
    return files->from.at;
}

static mp_obj_t export_model(mp_obj_t self_in, mp_obj_t table)
{
    const session_obj *self = opened(self_in);
    export_files files;
    uint32_t model_size = 0;
    size_t size = open_table(&files, table);
    check(gm_export_check(&self->session, read_table, &files, size, &model_size), "export_model");
    uint8_t *model = allocate(model_size);
    check(gm_export_part(&self->session, read_table, &files, 0, model, model_size), "export_model");
    return mp_obj_new_bytes(model, model_size);
}
MP_DEFINE_CONST_FUN_OBJ_2(export_model_obj, export_model);

/* export_model_to(table, stream): for models that memory has no room for. */
static mp_obj_t export_model_to(mp_obj_t self_in, mp_obj_t table, mp_obj_t stream)
{
    const session_obj *self = opened(self_in);
    export_files files;
    size_t size = open_table(&files, table);
    files.to = open_stream(stream, MP_STREAM_OP_WRITE);
    check(seek(&files.to, 0, 0) != 0 ? GM_ERR_IO : GM_OK, "export_model_to");
    check(gm_export(&self->session, read_table, write_model, &files, size), "export_model_to");
    return mp_obj_new_int_from_uint(files.to.at);
}
MP_DEFINE_CONST_FUN_OBJ_3(export_model_to_obj, export_model_to);

#endif
