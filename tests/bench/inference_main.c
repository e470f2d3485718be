/*
 * The smallest program that infers, for weighing a runtime that does not train. The image comes from outside, so nothing
 * of it is counted.
 */
#include "gradmote.h"

extern const uint8_t image[];
extern const uint32_t image_size;
extern uint32_t arena[];
extern const uint32_t arena_size;

int main(void)
{
    static gm_session session;
    int status = gm_open(&session, image, image_size, arena, arena_size);
    return status | gm_infer(&session);
}
