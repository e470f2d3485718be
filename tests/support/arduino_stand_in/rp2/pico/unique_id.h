/* Raspberry Pi Pico SDK, src/rp2_common/pico_unique_id */
#pragma once
#include <stdint.h>

#define PICO_UNIQUE_BOARD_ID_SIZE_BYTES 8

typedef struct {
    uint8_t id[PICO_UNIQUE_BOARD_ID_SIZE_BYTES];
} pico_unique_board_id_t;

#ifdef __cplusplus
extern "C" {
#endif
void pico_get_unique_board_id(pico_unique_board_id_t *id_out);
#ifdef __cplusplus
}
#endif
