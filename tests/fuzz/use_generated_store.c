#include "use_generated_store.h"

#include <string.h>

#include "generate_instruction.h"

static const gm_store *record_of(const gm_session *session)
{
    return (const void *)(session->image + session->header->sections[GM_SECTION_STORE].offset);
}

int has_store(const gm_session *session)
{
    return session->header->sections[GM_SECTION_STORE].size != 0;
}

static uint32_t draw_count(draws *d, uint32_t most)
{
    switch (below(d, 6)) {
    case 0: return draw_hostile(d);
    case 1: return UINT32_MAX - below(d, 2);
    default: return below(d, most + 1);
    }
}

/* Of a place: most hold a sample. */
static uint32_t draw_label(draws *d, uint32_t classes)
{
    return one_in(d, 12) ? draw_hostile(d) : below(d, classes + 1);
}

void fill_store(draws *d, gm_session *session)
{
    const gm_store *record = record_of(session);
    uint32_t *word = (uint32_t *)(void *)(session->arena + record->offset);
    int is_sparse = one_in(d, 4);
    *word++ = draw_word(d);
    for (uint32_t label = 0; label < record->classes; ++label) {
        *word++ = draw_count(d, record->capacity);
        *word++ = draw_count(d, record->capacity);
        *word++ = one_in(d, 8) ? draw_word(d) : below(d, 2);
    }
    for (uint32_t place = 0; place < record->capacity; ++place) {
        *word++ = is_sparse && !one_in(d, 4) ? 0 : draw_label(d, record->classes);
    }
}

/* A class, or what is just none. */
static uint32_t draw_class(draws *d, uint32_t classes)
{
    return one_in(d, 20) ? draw_count(d, classes) : below(d, classes);
}

static int view(const gm_session *session, uint32_t *found)
{
    gm_store_info info = {0, 0, 0, 0, 0};
    int status = gm_store_view(session, &info);
    memcpy(found, &info, sizeof info);
    return status;
}

static int view_class(const gm_session *session, uint32_t label, uint32_t *found)
{
    gm_store_class own = {0, 0, 0};
    int status = gm_store_class_view(session, label, &own);
    memcpy(found, &own, sizeof own);
    return status;
}

static int classify(const gm_session *session, uint32_t row, uint32_t *found)
{
    float score = 0;
    int status = gm_classify(session, row, found, &score);
    memcpy(found + 1, &score, sizeof score);
    return status;
}

store_call draw_call(draws *d, const gm_session *session)
{
    store_call call = {.which = below(d, CALLS)};
    call.label = draw_class(d, record_of(session)->classes);
    call.number = draw_count(d, 3);
    if (call.which == REPLAY && !one_in(d, 12)) {
        call.number = one_in(d, 2) ? GM_PROGRAM_TRAIN : GM_PROGRAM_STEP;
    }
    return call;
}

int make_call(gm_session *session, store_call *call)
{
    switch (call->which) {
    case VIEW: return view(session, call->found);
    case VIEW_CLASS: return view_class(session, call->label, call->found);
    case FORGET: return gm_forget(session, call->label);
    case RECALL: return gm_begin_recall(session, call->label, call->number, call->found);
    case REPLAY: return gm_begin_replay(session, call->number);
    case CLASSIFY: return classify(session, call->number, call->found);
    default: return gm_learn(session, call->label);
    }
}

void train_on_store(draws *d, gm_session *session)
{
    uint32_t kept, right, label = draw_class(d, record_of(session)->classes);
    float loss;
    (void)gm_replay(session, &loss);
    (void)gm_score(session, label, &kept, &right);
}
