#include "slots.h"

#include <zephyr/storage/flash_map.h>

#define PARTITION FIXED_PARTITION_ID(storage_partition)
#define SLOT_SIZE (FIXED_PARTITION_SIZE(storage_partition) / 2)

typedef struct slot {
    const struct flash_area *area;
    uint32_t start;
} slot;

static uint32_t current; /* 0 or 1: the slot that has the newest checkpoint */

static int write_slot(void *user, uint32_t offset, const void *data, uint32_t size)
{
    const slot *to = user;
    return flash_area_write(to->area, to->start + offset, data, size);
}

static int read_slot(void *user, uint32_t offset, void *data, uint32_t size)
{
    const slot *from = user;
    return flash_area_read(from->area, from->start + offset, data, size);
}

int slots_save(const gm_session *session)
{
    slot to = {NULL, !current * SLOT_SIZE};
    if (flash_area_open(PARTITION, &to.area) != 0 || flash_area_erase(to.area, to.start, SLOT_SIZE) != 0) {
        return GM_ERR_IO;
    }
    int error = gm_checkpoint_save(session, write_slot, &to);
    if (error == GM_OK) {
        error = flash_area_erase(to.area, current * SLOT_SIZE, SLOT_SIZE) == 0 ? GM_OK : GM_ERR_IO;
        current = !current;
    }
    flash_area_close(to.area);
    return error;
}

int slots_load(gm_session *session)
{
    slot from = {NULL, 0};
    if (flash_area_open(PARTITION, &from.area) != 0) {
        return GM_ERR_IO;
    }
    int error = GM_ERR_BAD_MAGIC;
    for (uint32_t i = 0; i < 2 && error != GM_OK; ++i) {
        from.start = i * SLOT_SIZE;
        error = gm_checkpoint_load(session, read_slot, &from, SLOT_SIZE);
        current = error == GM_OK ? i : current;
    }
    flash_area_close(from.area);
    return error;
}
