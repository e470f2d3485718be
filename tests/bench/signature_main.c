/* Ticks that the check of a signature takes, of no bytes and of MESSAGE bytes, by a clock that ticks with the instructions. */
#include "board.h"
#include "../../firmware/signature/ed25519.h"

#define MESSAGE 65536u

static const uint8_t message[MESSAGE] = { 1 };
/* RFC 8032, 7.1, test 1: of no bytes. */
static const uint8_t key[ED25519_KEY_SIZE] = {
    0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a,
    0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a,
};
static const uint8_t signature[ED25519_SIGNATURE_SIZE] = {
    0xe5, 0x56, 0x43, 0x00, 0xc3, 0x60, 0xac, 0x72, 0x90, 0x86, 0xe2, 0xcc, 0x80, 0x6e, 0x82, 0x8a,
    0x84, 0x87, 0x7f, 0x1e, 0xb8, 0xe5, 0xd9, 0x74, 0xd8, 0x73, 0xe0, 0x65, 0x22, 0x49, 0x01, 0x55,
    0x5f, 0xb8, 0x82, 0x15, 0x90, 0xa3, 0x3b, 0xac, 0xc6, 0x1e, 0x39, 0x70, 0x1c, 0xf9, 0xb4, 0x6b,
    0xd2, 0x5b, 0xf5, 0xf0, 0x59, 0x5b, 0xbe, 0x24, 0x65, 0x51, 0x41, 0x43, 0x8e, 0x7a, 0x10, 0x0b,
};

static void print_number(const char *name, uint32_t value)
{
    char digits[12] = { 0 };
    char *at = digits + sizeof digits - 2;
    *at = '\n';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (*name != '\0') {
        board_uart_put((uint8_t)*name++);
    }
    while (*at != '\0') {
        board_uart_put((uint8_t)*at++);
    }
}

int main(void)
{
    board_init();
    uint32_t start = board_ticks();
    int is_right = ed25519_is_signed(signature, key, message, 0);
    uint32_t middle = board_ticks();
    int is_wrong = !ed25519_is_signed(signature, key, message, MESSAGE);
    uint32_t end = board_ticks();
    print_number("right ", (uint32_t)(is_right && is_wrong));
    print_number("ticks_per_second ", BOARD_TICKS_PER_SECOND);
    print_number("check ", middle - start);
    print_number("hash ", (end - middle) - (middle - start));
    print_number("done ", 0);
    for (;;) {
        board_sleep();
    }
}
