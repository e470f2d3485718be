/* Every call of the sample store, on any state of a session. */
#ifndef USE_STORE_H
#define USE_STORE_H

#include "gradmote.h"
#include "repair.h"

static inline void finish_program(gm_session *session)
{
    int status = GM_AGAIN;
    while (status == GM_AGAIN) {
        status = gm_run(session, 8);
    }
    require(status <= GM_OK);
}

static inline void use_store(gm_session *session)
{
    gm_store_info info;
    gm_store_class own;
    uint32_t rows, label;
    float score;
    for (uint32_t wanted = 0; gm_store_view(session, &info) == GM_OK && wanted < 3; ++wanted) {
        require(info.kept <= info.capacity);
        (void)gm_learn(session, wanted);
        (void)gm_store_class_view(session, wanted, &own);
        if (gm_begin_replay(session, wanted == 0 ? GM_PROGRAM_TRAIN : GM_PROGRAM_STEP) == GM_OK) {
            finish_program(session);
        }
        if (gm_begin_recall(session, wanted, wanted, &rows) == GM_OK) {
            finish_program(session);
            (void)gm_classify(session, rows, &label, &score);
        }
    }
    (void)gm_forget(session, 1);
    (void)gm_learn(session, 1);
}

#endif
