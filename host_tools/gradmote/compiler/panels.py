"""The panels of instructions on int8: scratch in which kernels pack weights or rows of the input.

A kernel works with a panel of any size, or none; how much it helps depends on the processor. This module alone
decides the size, by what the kernels for Cortex-M need (runtime_c/kernels/arch/arm_m); it is the same for all
boards. Words have 32 bits and hold two numbers each.
"""

from __future__ import annotations

from ..ir.generated.instructions import ConvGradWS16, ConvGradXS16, ConvS8, ConvUpdateS16

#: Instructions that can have a panel.
Packing = ConvS8 | ConvGradXS16 | ConvGradWS16 | ConvUpdateS16

#: Rows and columns of a tile.
ROWS, COLUMNS = 2, 4
#: The most words of a panel: in general, with up to FEW_TILES tiles, and with a single tile. The other operand is
#: packed once for all tiles that fit; with four tiles this costs some hundredths of an instruction per product.
MOST_WORDS, MOST_WORDS_OF_FEW, MOST_WORDS_OF_ONE = 1024, 2048, 4096
FEW_TILES = 4
#: The channels of depthwise layers processed at once, and the words between the weights that 3x3 kernels can use for
#: sums.
CHANNELS, UNREAD_WORDS = 4, 40


def panel_words(made: Packing) -> int:
    """Return how many 32-bit words the instruction's panel should have; 0 means no panel."""
    words = depthwise_words(made) if is_depthwise(made) else tile_words(made)
    return words if words <= MOST_WORDS_OF_ONE else 0


def is_depthwise(made: Packing) -> bool:
    """Return whether each group has one input and one output channel, adjacent, and a kernel without gaps."""
    neighbours = made.y_group == 1 if isinstance(made, ConvGradXS16) else made.x_group == 1
    alone = made.in_channels == 1 and made.out_channels == 1 and made.groups > 1
    return alone and neighbours and made.dilation_h == 1 and made.dilation_w == 1


def tile_words(made: Packing) -> int:
    """Return the words for one operand's rows, and for some tiles of the other's columns."""
    length, columns = product_of(made)
    few = min(FEW_TILES, tiles_in(MOST_WORDS_OF_FEW, length))
    return words_of_tiles(made, min(-(-columns // COLUMNS), max(tiles_in(MOST_WORDS, length), few, 1)))


def words_of_tiles(made: Packing, tiles: int) -> int:
    """Return the words of a panel with this many tiles."""
    length, _ = product_of(made)
    words = length * (ROWS + COLUMNS * tiles)
    return words + second_row_words(made, tiles) if isinstance(made, ConvUpdateS16) else words


def second_row_words(made: ConvUpdateS16, tiles: int) -> int:
    """Return the words for the results of this many tiles in the second of two rows; the first has its own operand."""
    taps = made.kernel_h * made.kernel_w
    return min(made.in_channels * taps, COLUMNS * max(tiles, taps))


def least_words(made: Packing) -> int:
    """Return the words of the smallest panel that an instruction with a panel should keep.

    0 for an update whose panel of one tile exceeds MOST_WORDS (rows of a whole image): it runs without a panel if
    that would be the peak. Depthwise layers keep all but the sums of whole rows.
    """
    if is_depthwise(made):
        return made.panel_words - words_of_whole_rows(made)
    one = min(made.panel_words, words_of_tiles(made, 1))
    return 0 if isinstance(made, ConvUpdateS16) and one > MOST_WORDS else one


def words_within(made: Packing, words: int) -> int:
    """Return the words of the largest panel of whole tiles within `words`, at most the instruction's own."""
    least = least_words(made)
    if words >= made.panel_words or least == made.panel_words:
        return made.panel_words
    if is_depthwise(made):
        return max(words, least)
    length, _ = product_of(made)
    sizes = (words_of_tiles(made, tiles) for tiles in range(tiles_in(words, length), 0, -1))
    return next((size for size in sizes if size <= words), least)


def tiles_in(words: int, length: int) -> int:
    """Return how many tiles fit in a panel of this many words, beside the rows of the other operand."""
    return (words // length - ROWS) // COLUMNS


def product_of(made: Packing) -> tuple[int, int]:
    """Return the words of the factors of one sum, and the number of columns to pack."""
    taps = made.kernel_h * made.kernel_w
    if isinstance(made, ConvS8):
        by_tap = taps * words_of_fours(made.in_channels)
        by_row = made.kernel_h * words_of_fours(made.kernel_w * made.in_channels)
        return max(by_tap, by_row), made.out_channels
    if isinstance(made, ConvGradXS16):
        # Only taps with the same remainder modulo the stride meet an input; with gaps between taps these can be all.
        rows = -(-made.kernel_h // made.stride_h) if made.dilation_h == 1 else made.kernel_h
        columns = -(-made.kernel_w // made.stride_w) if made.dilation_w == 1 else made.kernel_w
        return rows * columns * -(-made.out_channels // 2), made.in_channels
    return made.batch * made.out_h * -(-made.out_w // 2), made.in_channels * taps


def words_of_fours(numbers: int) -> int:
    """Return the words of this many numbers, padded to a multiple of four."""
    return -(-numbers // 4) * 2


def depthwise_words(made: Packing) -> int:
    """Return the words for both sets of weights, or for their sums, and for the rows under the kernel."""
    under = made.kernel_w // 2
    weights = 2 * (2 * made.kernel_h - 1) * CHANNELS * (under + 1)
    if isinstance(made, ConvS8):
        pairs = (made.out_w - 1) * made.stride_w // 2 + under + 1
        return weights + pairs * made.kernel_h * CHANNELS + words_of_whole_rows(made)
    if isinstance(made, ConvGradXS16):
        pairs = (made.in_w - 1) // 2 + under + 1
        return weights + pairs * made.kernel_h * CHANNELS + even(made.in_w) * CHANNELS
    pairs = ((made.out_w - 1) * made.stride_w + 1) // 2 + 1
    sums = 3 * made.kernel_h * made.kernel_w * CHANNELS + 1
    return sums + 2 * pairs * CHANNELS + (pairs + under) * CHANNELS * made.kernel_h


def words_of_whole_rows(made: Packing) -> int:
    """Return the words for the sums of a row of outputs, if all are made at once and do not fit between the weights."""
    at_once = isinstance(made, ConvS8) and made.kernel_h == 3 and made.kernel_w == 3 and made.stride_w <= 2
    words = even(made.out_w) * CHANNELS
    return words if at_once and words > UNREAD_WORDS else 0


def even(n: int) -> int:
    """Return n, rounded up to an even number."""
    return n + n % 2
