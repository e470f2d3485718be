#include "gradmote.h"

/* 1: process four bytes at a time, with 448 more bytes of tables. */
#define GM_CRC_BY_WORDS (UINTPTR_MAX > UINT32_MAX)

/* Row k: the CRC-32 (IEEE 802.3, reflected polynomial 0xEDB88320) of each nibble value, followed by
 * k zero nibbles. The first row takes 64 bytes; a table of all byte values would take 1 KB. */
static const uint32_t nibble_table[] = {
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C, 0xEDB88320,
    0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
#if GM_CRC_BY_WORDS
    0x00000000, 0x77073096, 0xEE0E612C, 0x990951BA, 0x076DC419, 0x706AF48F, 0xE963A535, 0x9E6495A3, 0x0EDB8832,
    0x79DCB8A4, 0xE0D5E91E, 0x97D2D988, 0x09B64C2B, 0x7EB17CBD, 0xE7B82D07, 0x90BF1D91, 0x00000000, 0x4AC21251,
    0x958424A2, 0xDF4636F3, 0xF0794F05, 0xBABB5D54, 0x65FD6BA7, 0x2F3F79F6, 0x3B83984B, 0x71418A1A, 0xAE07BCE9,
    0xE4C5AEB8, 0xCBFAD74E, 0x8138C51F, 0x5E7EF3EC, 0x14BCE1BD, 0x00000000, 0x191B3141, 0x32366282, 0x2B2D53C3,
    0x646CC504, 0x7D77F445, 0x565AA786, 0x4F4196C7, 0xC8D98A08, 0xD1C2BB49, 0xFAEFE88A, 0xE3F4D9CB, 0xACB54F0C,
    0xB5AE7E4D, 0x9E832D8E, 0x87981CCF, 0x00000000, 0x1C26A370, 0x384D46E0, 0x246BE590, 0x709A8DC0, 0x6CBC2EB0,
    0x48D7CB20, 0x54F16850, 0xE1351B80, 0xFD13B8F0, 0xD9785D60, 0xC55EFE10, 0x91AF9640, 0x8D893530, 0xA9E2D0A0,
    0xB5C473D0, 0x00000000, 0x01C26A37, 0x0384D46E, 0x0246BE59, 0x0709A8DC, 0x06CBC2EB, 0x048D7CB2, 0x054F1685,
    0x0E1351B8, 0x0FD13B8F, 0x0D9785D6, 0x0C55EFE1, 0x091AF964, 0x08D89353, 0x0A9E2D0A, 0x0B5C473D, 0x00000000,
    0x5019579F, 0xA032AF3E, 0xF02BF8A1, 0x9B14583D, 0xCB0D0FA2, 0x3B26F703, 0x6B3FA09C, 0xED59B63B, 0xBD40E1A4,
    0x4D6B1905, 0x1D724E9A, 0x764DEE06, 0x2654B999, 0xD67F4138, 0x866616A7, 0x00000000, 0xB8BC6765, 0xAA09C88B,
    0x12B5AFEE, 0x8F629757, 0x37DEF032, 0x256B5FDC, 0x9DD738B9, 0xC5B428EF, 0x7D084F8A, 0x6FBDE064, 0xD7018701,
    0x4AD6BFB8, 0xF26AD8DD, 0xE0DF7733, 0x58631056,
#endif
};

#if GM_CRC_BY_WORDS

/* Returns the CRC after four bytes, the first in the low byte of `word`. The eight lookups do not
 * depend on each other, so on a computer this takes an eighth of the time of a chain of eight. */
static uint32_t after_word(uint32_t crc, uint32_t word)
{
    uint32_t sum = 0;
    crc ^= word;
    for (uint32_t i = 0; i < 8; ++i) {
        sum ^= nibble_table[16 * (7 - i) + (crc >> 4 * i & 15)];
    }
    return sum;
}

#endif

uint32_t gm_crc32(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *byte = data;
    crc = ~crc;
#if GM_CRC_BY_WORDS
    for (; size >= 4; size -= 4, byte += 4) {
        crc = after_word(crc, byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24);
    }
#endif
    for (size_t i = 0; i < size; ++i) {
        crc ^= byte[i];
        crc = (crc >> 4) ^ nibble_table[crc & 15];
        crc = (crc >> 4) ^ nibble_table[crc & 15];
    }
    return ~crc;
}
