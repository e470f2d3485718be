/*
 * The smallest program that trains, infers and keeps what it learned: for weighing the runtime with the kernels of one
 * model. The image comes from outside, so nothing of it is counted. WITH_ROUNDS adds rounds of federated learning.
 */
#include "gradmote.h"

extern const uint8_t image[];
extern const uint32_t image_size;
extern uint32_t arena[];
extern const uint32_t arena_size;
extern int write_flash(void *user, uint32_t offset, const void *data, uint32_t size);
extern int read_flash(void *user, uint32_t offset, void *data, uint32_t size);

int main(void)
{
    static gm_session session;
    float loss;
    int status = gm_open(&session, image, image_size, arena, arena_size);
    status |= gm_checkpoint_load(&session, read_flash, 0, 0x10000);
    status |= gm_step(&session, &loss) | gm_infer(&session);
    status |= gm_checkpoint_save(&session, write_flash, 0);
#ifdef WITH_ROUNDS
    static uint32_t delta[64];
    static gm_federated_round round;
    status |= gm_round_delta_part(&session, &round, 0, delta, sizeof delta);
    status |= gm_round_save(&session, &round, delta, sizeof delta, write_flash, 0);
    status |= gm_round_apply(&session, &round, delta, sizeof delta);
#endif
    return status;
}
