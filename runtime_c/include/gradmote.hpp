/*
 * Gradmote for C++17: the functions of gradmote.h as classes that allocate nothing and own only
 * their session. They use neither exceptions nor RTTI. Each call inlines to the C function of that
 * name, which gradmote.h documents.
 *
 *     static gradmote::Arena<24 * 1024> arena;
 *     gradmote::Session session;
 *     if (gradmote::Status status = session.open(image, sizeof image, arena); !status) {
 *         return fail(status.text(), status.hint());
 *     }
 *     session.write(GM_ROLE_INPUT, 0, pixels);       // arrays of exactly the tensor's size
 *     session.write(GM_ROLE_LABEL, 0, labels);
 *     float loss;
 *     session.step(&loss);
 */
#ifndef GRADMOTE_HPP
#define GRADMOTE_HPP

#include <stddef.h>
#include <stdint.h>

#include "gradmote.h"

namespace gradmote
{

/* The result of a call: GM_OK, GM_AGAIN, or a negative code of gm_errors.h. It is true unless the
 * call failed. */
class [[nodiscard]] Status
{
  public:
    constexpr Status(int code) : code_(code) {}
    constexpr explicit operator bool() const { return code_ >= 0; }
    constexpr int code() const { return code_; }
    constexpr bool again() const { return code_ == GM_AGAIN; }
    const char *text() const { return gm_error_text(code_); }
    const char *hint() const { return gm_error_hint(code_); }

  private:
    int code_;
};

/* Memory for a session, aligned as gm_open() requires. gm_required() returns how many bytes an
 * image needs. */
template <size_t Bytes> struct alignas(16) Arena {
    uint8_t bytes[Bytes];
};

/* The elements of an output or a parameter in the arena, or an empty view if there is no such
 * tensor. */
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

    /* ---- Data in and out. role: GM_ROLE_INPUT or GM_ROLE_LABEL. The elements are float or
     * int32_t, like the tensor's. */

    Status write(gm_role_kind role, uint32_t index, const void *data, size_t bytes)
    {
        return gm_write(&session_, role, index, data, bytes);
    }
    template <typename T, size_t N> Status write(gm_role_kind role, uint32_t index, const T (&data)[N])
    {
        static_assert(sizeof(T) == 4, "tensors are of float or int32_t");
        return write(role, index, data, sizeof data);
    }
    View<const float> output(uint32_t index = 0, gm_program_kind program = GM_PROGRAM_INFER) const
    {
        gm_view view;
        return floats<const float>(gm_tensor_view(&session_, program, GM_ROLE_OUTPUT, index, &view), view);
    }
    View<float> parameter(const char *name)
    {
        gm_view view;
        return floats<float>(gm_parameter_named(&session_, name, &view), view);
    }

    /* ---- Running. `loss` may be null. */

    Status infer() { return gm_infer(&session_); }
    Status evaluate(float *loss) { return gm_eval_step(&session_, loss); }
    Status step(float *loss = nullptr) { return gm_step(&session_, loss); }
    Status train_step(float *loss = nullptr) { return gm_train_step(&session_, loss); }
    Status optimizer_step() { return gm_optimizer_step(&session_); }
    /* To run in slices: begin() once, then run() while its status says again(). */
    Status begin(gm_program_kind program) { return gm_begin(&session_, program); }
    Status run(uint32_t max_instructions) { return gm_run(&session_, max_instructions); }
    void abort() { gm_abort(&session_); }

    float learning_rate() const { return gm_learning_rate(&session_); }
    Status set_learning_rate(float rate) { return gm_set_learning_rate(&session_, rate); }
    Status reset() { return gm_reset(&session_); }

    /* Returns the C session, for functions that this class lacks: checkpoints, schedules,
     * properties, federation. */
    gm_session *c() { return &session_; }

  private:
    template <typename T> static View<T> floats(int status, const gm_view &view)
    {
        bool there = status == GM_OK && view.dtype == GM_DTYPE_F32;
        return there ? View<T>(static_cast<T *>(view.data), view.size / sizeof(float)) : View<T>(nullptr, 0);
    }

    gm_session session_{};
};

} /* namespace gradmote */

#endif
