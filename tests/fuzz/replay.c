/* Runs a fuzz target over the files of folders, without libFuzzer: replay FOLDER... For coverage, and for a debugger. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_LIMIT (4u << 20)

static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(INPUT_LIMIT);
    if (file != NULL && data != NULL) {
        (void)LLVMFuzzerTestOneInput(data, fread(data, 1, INPUT_LIMIT, file));
        fclose(file);
    }
    free(data);
}

/* How many files were there. */
static unsigned replay_folder(const char *folder)
{
    char path[4096];
    unsigned count = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            replay(path);
            ++count;
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return count;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    for (int i = 1; i < argc; ++i) {
        count += replay_folder(argv[i]);
    }
    printf("%u inputs\n", count);
    return count == 0;
}
