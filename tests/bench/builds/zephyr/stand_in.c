/* Zephyr on a computer, for a sample whose main() is app_main(): runs it, then the shell's commands of the standard input.
 * Flash is the file `flash`; POWER_FAILS=N cuts the power in the N-th program or erase operation. */
#include <stdlib.h>
#include <string.h>
#include <zephyr/shell/shell.h>
#include <zephyr/storage/flash_map.h>

#define PAGE 1024u
#define BLOCK 4u /* the smallest write */

int app_main(void);

static struct {
    const char *name;
    shell_command command;
    size_t mandatory, optional;
} commands[8];
static size_t command_count;

void stand_in_add(const char *name, shell_command command, size_t mandatory, size_t optional)
{
    commands[command_count].name = name;
    commands[command_count].command = command;
    commands[command_count].mandatory = mandatory;
    commands[command_count++].optional = optional;
}

unsigned long shell_strtoul(const char *text, int base, int *error)
{
    char *end;
    unsigned long value = strtoul(text, &end, base);
    if (*end != '\0' || end == text) {
        *error = -EINVAL;
    }
    return value;
}

static uint8_t flash[FIXED_PARTITION_SIZE(storage_partition)];
static const struct flash_area partition = {sizeof flash};

static void keep_flash(void)
{
    FILE *file = fopen("flash", "wb");
    assert(file != NULL && fwrite(flash, sizeof flash, 1, file) == 1);
    fclose(file);
}

/* Counts an operation. Returns how much of it is done: none or half when the power fails, which ends the program. */
static void operate(uint8_t *to, const uint8_t *from, size_t size)
{
    static int operations;
    const char *fails = getenv("POWER_FAILS");
    int now = fails != NULL && ++operations == atoi(fails);
    memcpy(to, from, now ? size / 2 : size);
    keep_flash();
    if (now) {
        puts("no power");
        exit(0);
    }
}

int flash_area_open(uint8_t id, const struct flash_area **area)
{
    FILE *file = fopen("flash", "rb");
    memset(flash, 0xFF, sizeof flash);
    if (file != NULL) {
        assert(fread(flash, sizeof flash, 1, file) == 1);
        fclose(file);
    }
    *area = &partition;
    return id;
}

void flash_area_close(const struct flash_area *area)
{
    assert(area == &partition);
}

int flash_area_read(const struct flash_area *area, long offset, void *data, size_t size)
{
    assert(area == &partition && (size_t)offset + size <= sizeof flash);
    memcpy(data, flash + offset, size);
    return 0;
}

int flash_area_write(const struct flash_area *area, long offset, const void *data, size_t size)
{
    assert(area == &partition && (size_t)offset + size <= sizeof flash);
    assert((size_t)offset % BLOCK == 0 && size % BLOCK == 0);
    for (size_t i = 0; i < size; ++i) {
        assert(flash[(size_t)offset + i] == 0xFF);
    }
    operate(flash + offset, data, size);
    return 0;
}

int flash_area_erase(const struct flash_area *area, long offset, size_t size)
{
    static uint8_t erased[PAGE];
    assert(area == &partition && (size_t)offset % PAGE == 0 && size % PAGE == 0);
    memset(erased, 0xFF, sizeof erased);
    for (size_t page = 0; page < size; page += PAGE) {
        operate(flash + (size_t)offset + page, erased, PAGE);
    }
    return 0;
}

static void type(char *line)
{
    static const struct shell sh;
    char *words[8];
    size_t count = 0;
    for (char *word = strtok(line, " \n"); word != NULL && count < 8; word = strtok(NULL, " \n")) {
        words[count++] = word;
    }
    for (size_t i = 0; i < command_count && count > 1 && strcmp(words[0], "gradmote") == 0; ++i) {
        if (strcmp(words[1], commands[i].name) == 0) {
            assert(count - 1 >= commands[i].mandatory && count - 1 <= commands[i].mandatory + commands[i].optional);
            commands[i].command(&sh, count - 1, words + 1);
            return;
        }
    }
    puts("no such command");
}

int main(void)
{
    char line[80];
    app_main();
    while (fgets(line, sizeof line, stdin) != NULL) {
        type(line);
    }
    return 0;
}
