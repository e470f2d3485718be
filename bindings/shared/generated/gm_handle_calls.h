/* Rendered from bindings/shared/spec/session.toml by `scons render`; do not edit. */
int gm_handle_reset(int64_t handle)
{
    ENTER(handle);
    LEAVE(handle, gm_reset(session));
}

int gm_handle_required(int64_t handle, gm_requirements *out)
{
    ENTER(handle);
    LEAVE(handle, required(session, out));
}

int gm_handle_control(int64_t handle, gm_control *out)
{
    ENTER(handle);
    LEAVE(handle, copy_control(session, out));
}

int gm_handle_tensor_at(int64_t handle, uint32_t role, uint32_t index, gm_handle_tensor *out)
{
    ENTER(handle);
    LEAVE(handle, describe_tensor(session, role, index, out));
}

int gm_handle_parameter(int64_t handle, uint32_t index, gm_handle_tensor *out)
{
    ENTER(handle);
    LEAVE(handle, describe_parameter(session, index, out));
}

int gm_handle_write(int64_t handle, uint32_t role, uint32_t index, uint32_t dtype, const void *data, size_t size)
{
    ENTER(handle);
    LEAVE(handle, write_tensor(session, role, index, dtype, data, size));
}

int gm_handle_read(int64_t handle, uint32_t role, uint32_t index, uint32_t dtype, void *data, size_t size)
{
    ENTER(handle);
    LEAVE(handle, read_tensor(session, role, index, dtype, data, size));
}

int gm_handle_run(int64_t handle, uint32_t program, float *loss)
{
    ENTER(handle);
    LEAVE(handle, run(session, program, loss));
}

int gm_handle_classify(int64_t handle, uint32_t row, uint32_t *label, float *score)
{
    ENTER(handle);
    LEAVE(handle, gm_classify(session, row, label, score));
}

int gm_handle_lazy_reset_grad(int64_t handle)
{
    ENTER(handle);
    LEAVE(handle, gm_lazy_reset_grad(session));
}

int gm_handle_set_learning_rate(int64_t handle, float rate)
{
    ENTER(handle);
    LEAVE(handle, gm_set_learning_rate(session, rate));
}

int gm_handle_set_linear_schedule(int64_t handle, float rate, uint32_t warmup_steps, uint32_t total_steps)
{
    ENTER(handle);
    LEAVE(handle, gm_set_linear_schedule(session, rate, warmup_steps, total_steps));
}

int gm_handle_set_seed(int64_t handle, uint32_t seed)
{
    ENTER(handle);
    LEAVE(handle, gm_set_seed(session, seed));
}

int gm_handle_get(int64_t handle, uint32_t values, uint32_t index, void *data, size_t size)
{
    ENTER(handle);
    LEAVE(handle, get(session, values, index, data, size));
}

int gm_handle_set(int64_t handle, uint32_t values, uint32_t index, const void *data, size_t size)
{
    ENTER(handle);
    LEAVE(handle, set(session, values, index, data, size));
}

int gm_handle_save(int64_t handle, int half, void *data, size_t size)
{
    ENTER(handle);
    LEAVE(handle, save(session, half, data, size));
}

int gm_handle_load(int64_t handle, const void *data, size_t size)
{
    ENTER(handle);
    LEAVE(handle, load(session, data, size));
}

int gm_handle_carry_over(int64_t handle, const void *data, size_t size, uint32_t *carried)
{
    ENTER(handle);
    LEAVE(handle, carry_over(session, data, size, carried));
}

int gm_handle_set_property(int64_t handle, const char *key, uint32_t type, uint32_t value)
{
    ENTER(handle);
    LEAVE(handle, set_property(session, key, type, value));
}

int gm_handle_property(int64_t handle, const char *key, gm_property *out)
{
    ENTER(handle);
    LEAVE(handle, gm_property_get(session, key, out));
}

int gm_handle_store(int64_t handle, gm_store_info *out)
{
    ENTER(handle);
    LEAVE(handle, gm_store_view(session, out));
}

int gm_handle_learn(int64_t handle, uint32_t label)
{
    ENTER(handle);
    LEAVE(handle, gm_learn(session, label));
}

int gm_handle_replay(int64_t handle, float *loss)
{
    ENTER(handle);
    LEAVE(handle, gm_replay(session, loss));
}

int gm_handle_forget(int64_t handle, uint32_t label)
{
    ENTER(handle);
    LEAVE(handle, gm_forget(session, label));
}

int gm_handle_score(int64_t handle, uint32_t label, uint32_t *kept, uint32_t *right)
{
    ENTER(handle);
    LEAVE(handle, gm_score(session, label, kept, right));
}

int gm_handle_optimizer_step_on_sum(int64_t handle)
{
    ENTER(handle);
    LEAVE(handle, gm_optimizer_step_on_sum(session));
}

int gm_handle_export_model(int64_t handle, const void *table, size_t table_size, void *data, size_t size)
{
    ENTER(handle);
    LEAVE(handle, export_model(session, table, table_size, data, size));
}

int gm_handle_save_without_optimizer(int64_t handle, void *data, size_t size)
{
    ENTER(handle);
    LEAVE(handle, save_without_optimizer(session, data, size));
}

int gm_handle_all_trained(int64_t handle)
{
    ENTER(handle);
    LEAVE(handle, all_trained(session));
}

int gm_handle_property_at(int64_t handle, uint32_t index, gm_property *out)
{
    ENTER(handle);
    LEAVE(handle, gm_property_at(session, index, out));
}

int gm_handle_trained_image(int64_t handle, void *data, size_t size)
{
    ENTER(handle);
    LEAVE(handle, trained_image(session, data, size));
}

const gm_handle_calls *gm_handle_table(void)
{
    static const gm_handle_calls calls = {
        .open = gm_handle_open,
        .close = gm_handle_close,
        .reset = gm_handle_reset,
        .required = gm_handle_required,
        .control = gm_handle_control,
        .fused = gm_handle_fused,
        .error_name = gm_handle_error_name,
        .error_text = gm_handle_error_text,
        .error_hint = gm_handle_error_hint,
        .tensor_at = gm_handle_tensor_at,
        .parameter = gm_handle_parameter,
        .write = gm_handle_write,
        .read = gm_handle_read,
        .run = gm_handle_run,
        .classify = gm_handle_classify,
        .lazy_reset_grad = gm_handle_lazy_reset_grad,
        .set_learning_rate = gm_handle_set_learning_rate,
        .set_linear_schedule = gm_handle_set_linear_schedule,
        .set_seed = gm_handle_set_seed,
        .get = gm_handle_get,
        .set = gm_handle_set,
        .checkpoint_size = gm_handle_checkpoint_size,
        .save = gm_handle_save,
        .load = gm_handle_load,
        .carry_over = gm_handle_carry_over,
        .set_property = gm_handle_set_property,
        .property = gm_handle_property,
        .store = gm_handle_store,
        .learn = gm_handle_learn,
        .replay = gm_handle_replay,
        .forget = gm_handle_forget,
        .score = gm_handle_score,
        .optimizer_step_on_sum = gm_handle_optimizer_step_on_sum,
        .export_size = gm_handle_export_size,
        .export_model = gm_handle_export_model,
        .save_without_optimizer = gm_handle_save_without_optimizer,
        .all_trained = gm_handle_all_trained,
        .output_size = gm_handle_output_size,
        .property_at = gm_handle_property_at,
        .crc32 = gm_handle_crc32,
        .image_size = gm_handle_image_size,
        .trained_image = gm_handle_trained_image,
    };
    return &calls;
}
