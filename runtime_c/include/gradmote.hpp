/*
 * Gradmote for C++17: the functions of gradmote.h as classes that allocate nothing and own only
 * their session. They need neither exceptions nor RTTI. Each call inlines to the C function that it
 * names, which gradmote.h documents.
 *
 *     static gradmote::Arena<24 * 1024> arena;
 *     gradmote::Session session;
 *     if (gradmote::Status status = session.open(image, sizeof image, arena); !status) {
 *         return fail(status.text(), status.hint());
 *     }
 *     session.write(GM_ROLE_INPUT, 0, pixels);       // arrays of the tensor's type and size
 *     session.write(GM_ROLE_LABEL, 0, labels);
 *     float loss;
 *     session.step(&loss);
 *
 * Memory may also come from the heap, and failures may be exceptions, if the compiler has them on:
 *
 *     std::vector<gradmote::Arena<16>> arena((needs.arena_size + 15) / 16);
 *     gradmote::check(session.open(image, size, arena.data(), arena.size() * 16));  // throws Error
 */
#ifndef GRADMOTE_HPP
#define GRADMOTE_HPP

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__has_include)
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif
#if defined(__cpp_exceptions) && __has_include(<exception>)
#include <exception>
#define GRADMOTE_EXCEPTIONS 1
#endif
#endif

#include "gradmote.h"

namespace gradmote
{

/* The code of typed reads and writes whose type is not the tensor's: GM_ERR_WRONG_DTYPE of
 * gm_handle.h. */
constexpr int wrong_dtype = -103;

/* The result of a call: GM_OK, GM_AGAIN, wrong_dtype, or a negative code of gm_errors.h. It is true
 * unless the call failed. */
class [[nodiscard]] Status
{
  public:
    constexpr Status(int code) : code_(code) {}
    constexpr explicit operator bool() const { return code_ >= 0; }
    constexpr int code() const { return code_; }
    constexpr bool again() const { return code_ == GM_AGAIN; }
    const char *text() const
    {
        return code_ == wrong_dtype ? "the data's type is not the tensor's" : gm_error_text(code_);
    }
    const char *hint() const
    {
        return code_ == wrong_dtype ? "use numbers of the tensor's type, f32, i32, i8, u8 or i16; "
                                      "quantized ones are round(x / scale) + zero_point"
                                    : gm_error_hint(code_);
    }

  private:
    int code_;
};

#if defined(GRADMOTE_EXCEPTIONS)
/* What check() throws. */
class Error : public std::exception
{
  public:
    explicit Error(Status status) : status_(status) {}
    const char *what() const noexcept override { return status_.text(); }
    Status status() const { return status_; }

  private:
    Status status_;
};

/* Throws Error if a call failed. Returns again(): `while (check(session.run(1000)))` runs a program
 * in slices. */
inline bool check(Status status)
{
    if (!status) {
        throw Error(status);
    }
    return status.again();
}
#endif

/* Memory for a session, aligned as gm_open() requires. required() returns how many bytes an image
 * needs. */
template <size_t Bytes> struct alignas(16) Arena {
    uint8_t bytes[Bytes];
};

/* The gm_dtype_kind of an element. Other types do not compile. */
template <typename T> struct dtype_of;
template <> struct dtype_of<float> {
    static constexpr uint32_t value = GM_DTYPE_F32;
};
template <> struct dtype_of<int32_t> {
    static constexpr uint32_t value = GM_DTYPE_I32;
};
template <> struct dtype_of<int8_t> {
    static constexpr uint32_t value = GM_DTYPE_I8;
};
template <> struct dtype_of<uint8_t> {
    static constexpr uint32_t value = GM_DTYPE_U8;
};
template <> struct dtype_of<int16_t> {
    static constexpr uint32_t value = GM_DTYPE_I16;
};
template <typename T> struct dtype_of<const T> : dtype_of<T> {};

/* The elements of a tensor in the arena, or an empty view if there is no such tensor of this type. */
template <typename T> class View
{
  public:
    constexpr View(T *data, size_t size) : data_(data), size_(size) {}
    constexpr T *data() const { return data_; }
    constexpr size_t size() const { return size_; } /* elements */
    constexpr bool empty() const { return size_ == 0; }
    constexpr T *begin() const { return data_; }
    constexpr T *end() const { return data_ + size_; }
    constexpr T &operator[](size_t index) const { return data_[index]; }

  private:
    T *data_;
    size_t size_;
};

/* A file in memory, as the `read` or the `write` of the functions below. They refuse to go past its
 * end. */
struct Source {
    const void *data;
    size_t size;
    int operator()(uint32_t offset, void *to, uint32_t count) const
    {
        if (offset > size || count > size - offset) {
            return -1;
        }
        memcpy(to, static_cast<const uint8_t *>(data) + offset, count);
        return 0;
    }
};
struct Sink {
    void *data;
    size_t size;
    int operator()(uint32_t offset, const void *from, uint32_t count) const
    {
        if (offset > size || count > size - offset) {
            return -1;
        }
        memcpy(static_cast<uint8_t *>(data) + offset, from, count);
        return 0;
    }
};

/* ---- Without a session ----------------------------------------------------------------------- */

inline bool has_opcode(uint32_t opcode)
{
    return gm_has_opcode(opcode) != 0;
}
inline bool has_rule(uint32_t rule)
{
    return gm_has_rule(rule) != 0;
}
inline Status required(const void *image, size_t size, gm_requirements *out)
{
    return gm_required(image, size, out);
}
inline Status verify_image(const void *image, size_t size, size_t arena_size)
{
    return gm_verify_image(image, size, arena_size);
}
inline uint32_t crc32(uint32_t crc, const void *data, size_t size)
{
    return gm_crc32(crc, data, size);
}

/* A session: one image in one arena. Its destructor closes it. Image and arena belong to the caller
 * and must outlive it. */
class Session
{
  public:
    Session() = default;
    ~Session() { gm_close(&session_); }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    Status open(const void *image, size_t size, void *arena, size_t arena_size)
    {
        return gm_open(&session_, image, size, arena, arena_size);
    }
    template <size_t Bytes> Status open(const void *image, size_t size, Arena<Bytes> &arena)
    {
        return open(image, size, arena.bytes, Bytes);
    }
    Status reset() { return gm_reset(&session_); }
    void close() { gm_close(&session_); }
#if GM_THREADS
    Status set_splitter(const gm_splitter *splitter, size_t arena_size)
    {
        return gm_set_splitter(&session_, splitter, arena_size);
    }
#endif

    /* ---- Data in and out. role: GM_ROLE_INPUT or GM_ROLE_LABEL. The elements are float, int32_t,
     * int8_t, uint8_t or int16_t. Another type than the tensor's gives wrong_dtype, another number
     * of elements GM_ERR_WRONG_SIZE. */

    template <typename T> Status write(gm_role_kind role, uint32_t index, const T *data, size_t elements)
    {
        const gm_tensor *tensor = data_tensor(role, index);
        bool fits = tensor == nullptr || tensor->dtype == dtype_of<T>::value;
        return fits ? gm_write(&session_, role, index, data, elements * sizeof(T)) : wrong_dtype;
    }
    template <typename T, size_t N> Status write(gm_role_kind role, uint32_t index, const T (&data)[N])
    {
        return write(role, index, data, N);
    }
    /* The first samples of the batch, for begin_rows() and run_rows(). */
    template <typename T> Status write_rows(gm_role_kind role, uint32_t index, const T *data, size_t elements)
    {
        const gm_tensor *tensor = data_tensor(role, index);
        bool fits = tensor == nullptr || tensor->dtype == dtype_of<T>::value;
        return fits ? gm_write_rows(&session_, role, index, data, elements * sizeof(T)) : wrong_dtype;
    }
    Status write_rows_bytes(gm_role_kind role, uint32_t index, const void *data, size_t bytes)
    {
        return gm_write_rows(&session_, role, index, data, bytes);
    }
    /* Without a check of the type. bytes: the tensor's size. */
    Status write_bytes(gm_role_kind role, uint32_t index, const void *data, size_t bytes)
    {
        return gm_write(&session_, role, index, data, bytes);
    }

    /* Copies an output, or another tensor of a program. */
    template <typename T>
    Status read(gm_role_kind role, uint32_t index, T *data, size_t elements,
                gm_program_kind program = GM_PROGRAM_INFER) const
    {
        gm_view view;
        Status status = tensor_view(program, role, index, &view);
        if (status && view.dtype != dtype_of<T>::value) {
            return wrong_dtype;
        }
        if (status && view.size != elements * sizeof(T)) {
            return GM_ERR_WRONG_SIZE;
        }
        if (status) {
            memcpy(data, view.data, view.size);
        }
        return status;
    }
#if defined(__cpp_lib_span)
    template <typename T, size_t N> Status write(gm_role_kind role, uint32_t index, std::span<T, N> data)
    {
        return write(role, index, data.data(), data.size());
    }
    template <typename T, size_t N>
    Status read(gm_role_kind role, uint32_t index, std::span<T, N> data,
                gm_program_kind program = GM_PROGRAM_INFER) const
    {
        return read(role, index, data.data(), data.size(), program);
    }
#endif

    /* The tensor in the arena, without a copy. */
    template <typename T = float>
    View<const T> output(uint32_t index = 0, gm_program_kind program = GM_PROGRAM_INFER) const
    {
        gm_view view;
        return elements<const T>(tensor_view(program, GM_ROLE_OUTPUT, index, &view), view);
    }
    Status tensor_view(gm_program_kind program, gm_role_kind role, uint32_t index, gm_view *out) const
    {
        return gm_tensor_view(&session_, program, role, index, out);
    }

    /* ---- Running. `loss` may be null. */

    Status infer() { return gm_infer(&session_); }
    Status evaluate(float *loss = nullptr) { return gm_eval_step(&session_, loss); }
    Status step(float *loss = nullptr) { return gm_step(&session_, loss); }
    Status train_step(float *loss = nullptr) { return gm_train_step(&session_, loss); }
    Status optimizer_step() { return gm_optimizer_step(&session_); }
    Status optimizer_step_on_sum() { return gm_optimizer_step_on_sum(&session_); }
    Status lazy_reset_grad() { return gm_lazy_reset_grad(&session_); }
    /* To run in slices: begin() once, then run() while its status says again(). */
    Status begin(gm_program_kind program) { return gm_begin(&session_, program); }
    /* The same on the first samples of the batch. */
    Status begin_rows(gm_program_kind program, uint32_t rows) { return gm_begin_rows(&session_, program, rows); }
    Status run_rows(gm_program_kind program, uint32_t rows, float *loss = nullptr)
    {
        return gm_run_rows(&session_, program, rows, loss);
    }
    Status run(uint32_t max_instructions) { return gm_run(&session_, max_instructions); }
    void abort() { gm_abort(&session_); }
    Status loss(gm_program_kind program, float *out) const { return gm_loss(&session_, program, out); }
    Status classify(uint32_t row, uint32_t *label, float *score) const
    {
        return gm_classify(&session_, row, label, score);
    }
    const char *class_name(uint32_t label) const { return gm_class_name(&session_, label); }

    /* ---- The sample store */

    Status store_view(gm_store_info *out) const { return gm_store_view(&session_, out); }
    Status store_class_view(uint32_t label, gm_store_class *out) const
    {
        return gm_store_class_view(&session_, label, out);
    }
    Status learn(uint32_t label) { return gm_learn(&session_, label); }
    Status forget(uint32_t label) { return gm_forget(&session_, label); }
    Status replay(float *loss = nullptr) { return gm_replay(&session_, loss); }
    Status begin_replay(gm_program_kind program) { return gm_begin_replay(&session_, program); }
    Status score(uint32_t label, uint32_t *kept, uint32_t *right) { return gm_score(&session_, label, kept, right); }
    Status begin_recall(uint32_t label, uint32_t first, uint32_t *rows)
    {
        return gm_begin_recall(&session_, label, first, rows);
    }

    /* ---- Learning rate and seed. A constant rate ends a schedule. */

    float learning_rate() const { return gm_learning_rate(&session_); }
    Status set_learning_rate(float rate) { return gm_set_learning_rate(&session_, rate); }
    Status set_linear_schedule(float rate, uint32_t warmup_steps, uint32_t total_steps)
    {
        return gm_set_linear_schedule(&session_, rate, warmup_steps, total_steps);
    }
    const gm_control *control() const { return gm_control_view(&session_); }
    Status set_seed(uint32_t seed) { return gm_set_seed(&session_, seed); }

    /* ---- Parameters, by name or by index; an empty view if there is none of this type. */

    uint32_t parameter_count() const { return gm_parameter_count(&session_); }
    template <typename T = float> View<T> parameter_at(uint32_t index)
    {
        gm_view view;
        return elements<T>(parameter_at(index, &view), view);
    }
    template <typename T = float> View<T> parameter(const char *name)
    {
        gm_view view;
        return elements<T>(parameter(name, &view), view);
    }
    Status parameter_at(uint32_t index, gm_view *out) { return gm_parameter(&session_, index, out); }
    Status parameter(const char *name, gm_view *out) { return gm_parameter_named(&session_, name, out); }
    View<const float> gradient(uint32_t index) const
    {
        gm_view view;
        return elements<const float>(gm_gradient(&session_, index, &view), view);
    }
    Status parameters(gm_view *out) { return gm_parameters(&session_, out); }
    Status set_parameters(const void *data, size_t bytes) { return gm_set_parameters(&session_, data, bytes); }
    Status delta(float *out, size_t bytes) const { return gm_delta(&session_, out, bytes); }
    Status apply_delta(const float *delta, size_t bytes) { return gm_apply_delta(&session_, delta, bytes); }
    Status state(gm_view *out) { return gm_state(&session_, out); }

    /* ---- Checkpoints. write(offset, data, size) and read(offset, data, size) are any callable: a
     * lambda, a Source, a Sink. They return 0, or anything else to give up. */

    uint32_t checkpoint_size() const { return gm_checkpoint_size(&session_); }
    template <typename Write> Status save(Write &&write) const
    {
        return gm_checkpoint_save(&session_, write_of<Write>, address(write));
    }
    template <typename Write> Status save_without_optimizer(Write &&write) const
    {
        return gm_checkpoint_save_without_optimizer(&session_, write_of<Write>, address(write));
    }
    uint32_t checkpoint_half_size() const { return gm_checkpoint_half_size(&session_); }
    template <typename Write> Status save_half(Write &&write) const
    {
        return gm_checkpoint_save_half(&session_, write_of<Write>, address(write));
    }
    Status checkpoint_part_half(uint32_t offset, void *data, uint32_t size) const
    {
        return gm_checkpoint_part_half(&session_, offset, data, size);
    }
    template <typename Read> Status check_checkpoint(Read &&read, size_t size) const
    {
        return gm_checkpoint_check(&session_, read_of<Read>, address(read), size);
    }
    template <typename Read> Status load(Read &&read, size_t size)
    {
        return gm_checkpoint_load(&session_, read_of<Read>, address(read), size);
    }
    template <typename Read> Status carry_over(Read &&read, size_t size, uint32_t *carried)
    {
        return gm_checkpoint_carry_over(&session_, read_of<Read>, address(read), size, carried);
    }
    /* The same with memory. size of the first two: at least checkpoint_size() or
     * checkpoint_half_size(). */
    Status save_to(void *data, size_t size) const { return save(Sink{data, size}); }
    Status save_half_to(void *data, size_t size) const { return save_half(Sink{data, size}); }
    Status load_from(const void *data, size_t size) { return load(Source{data, size}, size); }

    /* ---- Export. read() delivers the export table, write() takes the trained model. */

    template <typename Read> Status export_check(Read &&read, size_t size, uint32_t *model_size) const
    {
        return gm_export_check(&session_, read_of<Read>, address(read), size, model_size);
    }
    template <typename Read> Status export_part(Read &&read, uint32_t offset, void *data, uint32_t size) const
    {
        return gm_export_part(&session_, read_of<Read>, address(read), offset, data, size);
    }
    template <typename Read, typename Write> Status export_model(Read &&read, Write &&write, size_t size) const
    {
        Pair<Read, Write> files{&read, &write};
        return gm_export(&session_, files.from, files.to, &files, size);
    }

    /* ---- Rounds: federated learning */

    uint32_t round_delta_size(const gm_federated_round &round) const { return gm_round_delta_size(&session_, &round); }
    Status round_delta_part(const gm_federated_round &round, uint32_t offset, void *data, uint32_t size) const
    {
        return gm_round_delta_part(&session_, &round, offset, data, size);
    }
    Status round_check(const gm_federated_round &round, const void *delta, size_t size) const
    {
        return gm_round_check(&session_, &round, delta, size);
    }
    Status round_apply(const gm_federated_round &round, const void *delta, size_t size)
    {
        return gm_round_apply(&session_, &round, delta, size);
    }
    template <typename Write>
    Status round_save(const gm_federated_round &round, const void *delta, size_t size, Write &&write) const
    {
        return gm_round_save(&session_, &round, delta, size, write_of<Write>, address(write));
    }

    /* ---- Properties: named numbers kept with the state. Reading one as the other type gives
     * wrong_dtype. */

    Status set_property(const char *key, int32_t value) { return gm_property_set_i32(&session_, key, value); }
    Status set_property(const char *key, float value) { return gm_property_set_f32(&session_, key, value); }
    Status property(const char *key, int32_t *value) const { return number(key, GM_PROPERTY_TYPE_I32, value); }
    Status property(const char *key, float *value) const { return number(key, GM_PROPERTY_TYPE_F32, value); }
    Status property(const char *key, gm_property *out) const { return gm_property_get(&session_, key, out); }
    Status property_at(uint32_t index, gm_property *out) const { return gm_property_at(&session_, index, out); }
    Status remove_property(const char *key) { return gm_property_remove(&session_, key); }

    /* Returns the C session. */
    gm_session *c() { return &session_; }
    const gm_session *c() const { return &session_; }

  private:
    template <typename T> static View<T> elements(Status status, const gm_view &view)
    {
        bool there = status && view.dtype == dtype_of<T>::value;
        return there ? View<T>(static_cast<T *>(view.data), view.size / sizeof(T)) : View<T>(nullptr, 0);
    }

    /* Returns the index-th tensor with this role over all programs, as gm_write() counts them, or
     * nullptr. */
    const gm_tensor *data_tensor(gm_role_kind role, uint32_t index) const
    {
        if (session_.header == nullptr) {
            return nullptr;
        }
        const gm_section &section = session_.header->sections[GM_SECTION_TENSORS];
        const uint8_t *bytes = session_.image + section.offset;
        for (uint32_t at = 0; at < section.size; at += static_cast<uint32_t>(sizeof(gm_tensor))) {
            const gm_tensor *tensor = static_cast<const gm_tensor *>(static_cast<const void *>(bytes + at));
            if (tensor->role == static_cast<uint32_t>(role) && tensor->programs != 0 && index-- == 0) {
                return tensor;
            }
        }
        return nullptr;
    }

    template <typename T> Status number(const char *key, gm_property_type_kind type, T *value) const
    {
        gm_property found;
        Status status = property(key, &found);
        if (status && found.type != static_cast<uint32_t>(type)) {
            return wrong_dtype;
        }
        if (status) {
            memcpy(value, &found.value, sizeof *value);
        }
        return status;
    }

    /* A callable as the `user` of the C functions, and the function that calls it again. */
    template <typename Callable> static void *address(Callable &callable)
    {
        return const_cast<void *>(static_cast<const volatile void *>(&callable));
    }
    template <typename Write> static int write_of(void *user, uint32_t offset, const void *data, uint32_t size)
    {
        return (*static_cast<bare<Write> *>(user))(offset, data, size);
    }
    template <typename Read> static int read_of(void *user, uint32_t offset, void *data, uint32_t size)
    {
        return (*static_cast<bare<Read> *>(user))(offset, data, size);
    }
    template <typename T> struct without_reference {
        using type = T;
    };
    template <typename T> struct without_reference<T &> {
        using type = T;
    };
    template <typename T> using bare = typename without_reference<T>::type;

    /* Two callables as one `user`. */
    template <typename Read, typename Write> struct Pair {
        bare<Read> *read;
        bare<Write> *write;
        static int from(void *user, uint32_t offset, void *data, uint32_t size)
        {
            return (*static_cast<Pair *>(user)->read)(offset, data, size);
        }
        static int to(void *user, uint32_t offset, const void *data, uint32_t size)
        {
            return (*static_cast<Pair *>(user)->write)(offset, data, size);
        }
    };

    gm_session session_{};
};

} /* namespace gradmote */

#if defined(__cpp_lib_span)
/* A span may be made of a view that a call returns: the view refers to the arena. */
template <typename T> inline constexpr bool std::ranges::enable_borrowed_range<gradmote::View<T>> = true;
#endif

#endif
