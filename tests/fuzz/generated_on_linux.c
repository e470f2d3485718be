/* generated_on_linux FIRST COUNT BLOCK DETAIL: run_generated.c for anything that runs programs for Linux. */
#include <stdio.h>
#include <stdlib.h>

#include "run_generated.h"

void say(const char *text)
{
    fputs(text, stdout);
}

static uint32_t number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        return 2;
    }
    order o = {number(argv[1]), number(argv[2]), number(argv[3]), number(argv[4])};
    setvbuf(stdout, NULL, _IOLBF, 0); /* what was said before a fault is not lost */
    run_generated(&o);
    return 0;
}
