/* drawn_quantized.c on an emulated board: a line with its name and how many draws differed for each kernel. */
#include "../../../host_tools/gradmote/report/bench/board_print.h"
#include "drawn_quantized.h"

int main(void)
{
    board_init();
    for (uint32_t kernel = 0; kernel < quantized_kernel_count; kernel++) {
        print_number(quantized_kernel_name(kernel), draw_quantized_kernel(kernel, DRAWS, SEED + kernel));
    }
    print("done\n");
    for (;;) {
        board_sleep();
    }
}
