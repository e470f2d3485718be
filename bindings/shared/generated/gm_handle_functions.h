/* Rendered from bindings/shared/spec/session.toml by `scons render`; do not edit. */
#ifndef GM_HANDLE_FUNCTIONS_H
#define GM_HANDLE_FUNCTIONS_H

/* ---- Sessions ---------------------------------------------------------------------------------- */

/* Opens a session on a copy of the image. image: any alignment. threads: 1 to 16, which share the
 * work of large instructions. Returns a positive handle, or a negative code. */
GM_EXPORT int64_t gm_handle_open(const void *image, size_t image_size, uint32_t threads);

/* Closes a session and frees its memory. Returns GM_OK, GM_ERR_CLOSED or GM_ERR_IN_USE. */
GM_EXPORT int gm_handle_close(int64_t handle);

GM_EXPORT int gm_handle_reset(int64_t handle);

GM_EXPORT int gm_handle_required(int64_t handle, gm_requirements *out);

/* Copies what gm_control_view() returns. */
GM_EXPORT int gm_handle_control(int64_t handle, gm_control *out);

/* Returns the numerics profile of this library: 1 for fused, 0 for strict. */
GM_EXPORT int gm_handle_fused(void);

/* Returns a name such as GM_ERR_WRONG_SIZE, never NULL. */
GM_EXPORT const char *gm_handle_error_name(int code);

/* Returns what was wrong, never NULL. */
GM_EXPORT const char *gm_handle_error_text(int code);

/* Returns what to do about it, never NULL. */
GM_EXPORT const char *gm_handle_error_hint(int code);

/* ---- Data in and out --------------------------------------------------------------------------- */

/* Describes an input, label or output. index: from 0, over all programs. */
GM_EXPORT int gm_handle_tensor_at(int64_t handle, uint32_t role, uint32_t index, gm_handle_tensor *out);

/* Describes the index-th parameter. */
GM_EXPORT int gm_handle_parameter(int64_t handle, uint32_t index, gm_handle_tensor *out);

/* Copies an input or label into the arena: all of it, or its first samples, which the next runs
 * then count (docs/NUMERICS.md, "Fewer rows"). Returns GM_ERR_WRONG_DTYPE or GM_ERR_WRONG_SIZE if
 * the data does not match the tensor. */
GM_EXPORT int gm_handle_write(int64_t handle, uint32_t role, uint32_t index, uint32_t dtype, const void *data,
    size_t size);

/* Copies a tensor, or its first samples, out of the arena; outputs are those of the last program.
 * Returns GM_ERR_WRONG_DTYPE or GM_ERR_WRONG_SIZE if the data does not match the tensor. */
GM_EXPORT int gm_handle_read(int64_t handle, uint32_t role, uint32_t index, uint32_t dtype, void *data, size_t size);

/* Runs a program on the data in the arena. Returns GM_ERR_WRONG_SIZE if inputs and labels have
 * different numbers of samples, and GM_ERR_WHOLE_BATCH if the program cannot count fewer than the
 * batch. loss: of EVAL, TRAIN or STEP; else 0. */
GM_EXPORT int gm_handle_run(int64_t handle, uint32_t program, float *loss);

GM_EXPORT int gm_handle_classify(int64_t handle, uint32_t row, uint32_t *label, float *score);

GM_EXPORT int gm_handle_lazy_reset_grad(int64_t handle);

GM_EXPORT int gm_handle_set_learning_rate(int64_t handle, float rate);

GM_EXPORT int gm_handle_set_linear_schedule(int64_t handle, float rate, uint32_t warmup_steps, uint32_t total_steps);

GM_EXPORT int gm_handle_set_seed(int64_t handle, uint32_t seed);

/* ---- Parameters, checkpoints and properties ---------------------------------------------------- */

/* Copies values of the state to `data`. A parameter has the dtype from gm_handle_parameter(), a
 * gradient is f32; all parameters and their difference are laid out as by gm_parameters(). values:
 * gm_handle_values. data: aligned to 4 bytes for a difference. size: the exact number of bytes. */
GM_EXPORT int gm_handle_get(int64_t handle, uint32_t values, uint32_t index, void *data, size_t size);

/* Sets values of the state, with arguments as for gm_handle_get(). */
GM_EXPORT int gm_handle_set(int64_t handle, uint32_t values, uint32_t index, const void *data, size_t size);

/* half: 1 for 16 bits per number, 0 for 32. Returns the size in bytes of a checkpoint, or a
 * negative code. */
GM_EXPORT int64_t gm_handle_checkpoint_size(int64_t handle, int half);

/* Writes a checkpoint to memory. size: must equal gm_handle_checkpoint_size(). */
GM_EXPORT int gm_handle_save(int64_t handle, int half, void *data, size_t size);

/* Loads a checkpoint from memory, as gm_checkpoint_load() does. */
GM_EXPORT int gm_handle_load(int64_t handle, const void *data, size_t size);

/* Loads what matches of another model's checkpoint, as gm_checkpoint_carry_over() does. */
GM_EXPORT int gm_handle_carry_over(int64_t handle, const void *data, size_t size, uint32_t *carried);

/* Sets a property, or removes it. type: gm_property_type_kind, EMPTY to remove it. value: the
 * number's bits. */
GM_EXPORT int gm_handle_set_property(int64_t handle, const char *key, uint32_t type, uint32_t value);

/* Does what gm_property_get() does. */
GM_EXPORT int gm_handle_property(int64_t handle, const char *key, gm_property *out);

/* ---- The sample store -------------------------------------------------------------------------- */

/* Does what gm_store_view() does. */
GM_EXPORT int gm_handle_store(int64_t handle, gm_store_info *out);

GM_EXPORT int gm_handle_learn(int64_t handle, uint32_t label);

GM_EXPORT int gm_handle_replay(int64_t handle, float *loss);

GM_EXPORT int gm_handle_forget(int64_t handle, uint32_t label);

GM_EXPORT int gm_handle_score(int64_t handle, uint32_t label, uint32_t *kept, uint32_t *right);

/* ---- As onnxruntime does ----------------------------------------------------------------------- */

GM_EXPORT int gm_handle_optimizer_step_on_sum(int64_t handle);

/* Checks an export table (.gmex), as gm_export_check() does. Returns the size in bytes of the
 * trained model, or a negative code. */
GM_EXPORT int64_t gm_handle_export_size(int64_t handle, const void *table, size_t table_size);

/* Writes the trained model as an ONNX file, as gm_export() does. size: must equal
 * gm_handle_export_size(). */
GM_EXPORT int gm_handle_export_model(int64_t handle, const void *table, size_t table_size, void *data, size_t size);

/* Writes a checkpoint to memory with the parameters, statistics, properties and samples of the
 * session. Moments, counters, rate, schedule and seed are those that the image begins with. size:
 * must equal gm_handle_checkpoint_size(handle, 0). */
GM_EXPORT int gm_handle_save_without_optimizer(int64_t handle, void *data, size_t size);

/* Returns GM_OK if all weights of the model train, and GM_ERR_FROZEN if the image has some as
 * constants. */
GM_EXPORT int gm_handle_all_trained(int64_t handle);

/* ---- Fewer samples than the batch -------------------------------------------------------------- */

/* Returns how many bytes of an output the last run has made: those of the samples that it counted.
 * index: from 0, over all programs. Returns the bytes, or a negative code. */
GM_EXPORT int64_t gm_handle_output_size(int64_t handle, uint32_t index);

/* ---- All properties ---------------------------------------------------------------------------- */

/* index: from 0. */
GM_EXPORT int gm_handle_property_at(int64_t handle, uint32_t index, gm_property *out);

/* ---- Checksums --------------------------------------------------------------------------------- */

/* Returns the CRC-32 of bytes, as gm_crc32() does. crc: of the preceding bytes, or 0 to start. */
GM_EXPORT uint32_t gm_handle_crc32(uint32_t crc, const void *data, size_t size);

/* ---- Images ------------------------------------------------------------------------------------ */

/* Returns the size of the session's image. Returns the bytes, or a negative code. */
GM_EXPORT int64_t gm_handle_image_size(int64_t handle);

/* Writes the session's image with the parameters and statistics that it has now. Moments, counters
 * and rate begin as before. size: must equal gm_handle_image_size(). */
GM_EXPORT int gm_handle_trained_image(int64_t handle, void *data, size_t size);

/* ---- The table of functions -------------------------------------------------------------------- */

/* The functions above, in the same order, for callers that load the library of a profile by its
 * name. New ones are appended. */
typedef struct gm_handle_calls {
    int64_t (*open)(const void *image, size_t image_size, uint32_t threads);
    int (*close)(int64_t handle);
    int (*reset)(int64_t handle);
    int (*required)(int64_t handle, gm_requirements *out);
    int (*control)(int64_t handle, gm_control *out);
    int (*fused)(void);
    const char *(*error_name)(int code);
    const char *(*error_text)(int code);
    const char *(*error_hint)(int code);
    int (*tensor_at)(int64_t handle, uint32_t role, uint32_t index, gm_handle_tensor *out);
    int (*parameter)(int64_t handle, uint32_t index, gm_handle_tensor *out);
    int (*write)(int64_t handle, uint32_t role, uint32_t index, uint32_t dtype, const void *data, size_t size);
    int (*read)(int64_t handle, uint32_t role, uint32_t index, uint32_t dtype, void *data, size_t size);
    int (*run)(int64_t handle, uint32_t program, float *loss);
    int (*classify)(int64_t handle, uint32_t row, uint32_t *label, float *score);
    int (*lazy_reset_grad)(int64_t handle);
    int (*set_learning_rate)(int64_t handle, float rate);
    int (*set_linear_schedule)(int64_t handle, float rate, uint32_t warmup_steps, uint32_t total_steps);
    int (*set_seed)(int64_t handle, uint32_t seed);
    int (*get)(int64_t handle, uint32_t values, uint32_t index, void *data, size_t size);
    int (*set)(int64_t handle, uint32_t values, uint32_t index, const void *data, size_t size);
    int64_t (*checkpoint_size)(int64_t handle, int half);
    int (*save)(int64_t handle, int half, void *data, size_t size);
    int (*load)(int64_t handle, const void *data, size_t size);
    int (*carry_over)(int64_t handle, const void *data, size_t size, uint32_t *carried);
    int (*set_property)(int64_t handle, const char *key, uint32_t type, uint32_t value);
    int (*property)(int64_t handle, const char *key, gm_property *out);
    int (*store)(int64_t handle, gm_store_info *out);
    int (*learn)(int64_t handle, uint32_t label);
    int (*replay)(int64_t handle, float *loss);
    int (*forget)(int64_t handle, uint32_t label);
    int (*score)(int64_t handle, uint32_t label, uint32_t *kept, uint32_t *right);
    int (*optimizer_step_on_sum)(int64_t handle);
    int64_t (*export_size)(int64_t handle, const void *table, size_t table_size);
    int (*export_model)(int64_t handle, const void *table, size_t table_size, void *data, size_t size);
    int (*save_without_optimizer)(int64_t handle, void *data, size_t size);
    int (*all_trained)(int64_t handle);
    int64_t (*output_size)(int64_t handle, uint32_t index);
    int (*property_at)(int64_t handle, uint32_t index, gm_property *out);
    uint32_t (*crc32)(uint32_t crc, const void *data, size_t size);
    int64_t (*image_size)(int64_t handle);
    int (*trained_image)(int64_t handle, void *data, size_t size);
} gm_handle_calls;

/* Returns the functions of this library. */
GM_EXPORT const gm_handle_calls *gm_handle_table(void);

#endif
