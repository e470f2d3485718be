#include "borrowed_input.h"

#include <string.h>

#include "image.h"

static float *first_sample(const gm_session *session)
{
    const gm_tensor *input = gm_find_tensor(session->header, UINT32_MAX, GM_ROLE_INPUT, 0);
    return (float *)(void *)(session->arena + input->offset);
}

void gm_borrow_input(gm_session *session)
{
    const gm_store *store = gm_store_of(session->header);
    if (store->aside != GM_NONE) {
        memcpy(session->arena + store->aside, first_sample(session), 4u * store->elements);
        session->borrowed = 1;
    }
}

void gm_return_input(gm_session *session)
{
    const gm_store *store = gm_store_of(session->header);
    memcpy(first_sample(session), session->arena + store->aside, 4u * store->elements);
    session->borrowed = 0;
}
