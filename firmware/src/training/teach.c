#include "training/teach.h"

#include "console_spec.h"

int teach_view(const model *m, gm_store_info *out)
{
    return m->status ? m->status : gm_store_view(&m->session, out);
}

int teach_learn(model *m, uint32_t label)
{
    gm_store_info info;
    int error = teach_view(m, &info);
    if (error == 0 && !samples_has_input(&m->samples)) {
        error = CONSOLE_ERR_NO_SAMPLES;
    }
    return error ? error : gm_learn(&m->session, label);
}

int teach_score(teach *t, const model *m, uint32_t label)
{
    gm_store_class own;
    int error = m->status ? m->status : gm_store_class_view(&m->session, label, &own);
    if (error == 0) {
        t->label = label;
        t->kept = own.kept;
        t->right = t->first = 0;
    }
    return error;
}

int teach_next_batch(teach *t, run *r, model *m)
{
    if (t->first >= t->kept) {
        return 0;
    }
    int error = run_begin_recall(r, m, t->label, t->first, &t->rows);
    return error ? error : TEACH_RUNS;
}

int teach_count_batch(teach *t, const model *m)
{
    for (uint32_t row = 0; row < t->rows; ++row) {
        uint32_t label;
        float score;
        int error = gm_classify(&m->session, row, &label, &score);
        if (error) {
            return error;
        }
        t->right += label == t->label;
    }
    t->first += t->rows;
    return 0;
}

int teach_set_idle(teach *t, const model *m, int on)
{
    gm_store_info info;
    int error = teach_view(m, &info);
    t->idle = error == 0 && on;
    return error;
}

int teach_begin_idle(teach *t, run *r, model *m)
{
    gm_store_info info;
    if (!t->idle || teach_view(m, &info) != 0 || info.kept == 0) {
        return 0;
    }
    (void)gm_lazy_reset_grad(&m->session); /* if the image keeps gradients, they are of this step only */
    int error = run_begin_replay(r, m, model_training_program(m));
    t->idle = error == 0;
    return error ? error : TEACH_RUNS;
}

int teach_end_idle(run *r, model *m)
{
    if (r->program != GM_PROGRAM_TRAIN) {
        return 0;
    }
    int error = run_begin(r, m, GM_PROGRAM_OPTIMIZER);
    return error ? error : TEACH_RUNS;
}

void teach_sent(teach *t, const model *m, uint32_t role, uint32_t end, uint32_t item)
{
    gm_store_info info;
    if (t->idle && teach_view(m, &info) == 0) {
        int of_bytes = item == 1 && info.dtype != GM_STORE_DTYPE_BYTES;
        t->idle = role != GM_ROLE_LABEL && end <= (of_bytes ? 4 * info.elements : info.elements);
    }
}
