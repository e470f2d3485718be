/* drawn_kernels.c on an emulated board: a line with its name and how many draws differed for each kernel. */
#include "board.h"
#include "drawn_kernels.h"

static void print(const char *text)
{
    while (*text != '\0') {
        board_uart_put((uint8_t)*text++);
    }
}

static void print_number(uint32_t value)
{
    char digits[11];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    print(at);
}

int main(void)
{
    board_init();
    for (uint32_t kernel = 0; kernel < drawn_kernel_count; kernel++) {
        print(drawn_kernel_name(kernel));
        print(" ");
        print_number(draw_kernel(kernel, DRAWS, SEED + kernel));
        print("\n");
    }
    print("done\n");
    for (;;) {
        board_sleep();
    }
}
