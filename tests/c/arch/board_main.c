/* drawn_kernels.c on an emulated board: a line with its name and how many draws differed for each kernel. */
#include "../../../host_tools/gradmote/report/bench/board_print.h"
#include "drawn_kernels.h"

int main(void)
{
    board_init();
    for (uint32_t kernel = 0; kernel < drawn_kernel_count; kernel++) {
        print_number(drawn_kernel_name(kernel), draw_kernel(kernel, DRAWS, SEED + kernel));
    }
    print("done\n");
    for (;;) {
        board_sleep();
    }
}
