/* The sample store of a generated image that was opened: its contents, and calls of it. */
#ifndef USE_GENERATED_STORE_H
#define USE_GENERATED_STORE_H

#include "draws.h"
#include "gradmote.h"

enum call { VIEW, VIEW_CLASS, FORGET, RECALL, REPLAY, CLASSIFY, LEARN, LEARN_MORE, CALLS };

/* number: the program to replay, the first sample to recall, the row to classify. found: what it returns. */
typedef struct store_call {
    uint32_t which, label, number;
    uint32_t found[5];
} store_call;

int has_store(const gm_session *session);

/* Samples as a host would have left them, or as any checkpoint may. */
void fill_store(draws *d, gm_session *session);

store_call draw_call(draws *d, const gm_session *session);

/* Makes a call, even while a program runs. A program that it begins has not run yet. */
int make_call(gm_session *session, store_call *call);

/* gm_replay() and gm_score(), which run their programs at once: between their instructions nothing makes NaNs the same,
 * so their results cannot be compared. */
void train_on_store(draws *d, gm_session *session);

#endif
