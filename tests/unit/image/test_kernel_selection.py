"""The flags of a firmware for some models leave out what none of them needs."""

import pytest
from bench.speed.cases import training
from fuzz.test_hostile_files import with_word

from gradmote import optimizers
from gradmote.errors import ImageError
from gradmote.formats.image import read_image
from gradmote.formats.kernel_selection import needs_of
from support import digits

#: Networks, and the ways of convolutions in floats that not every model needs.
WAYS = {"cnn": set(), "ds_cnn": {"DEPTHWISE"}, "resnet_8": {"PLANES"}, "mobilenet_v1": {"DEPTHWISE", "PLANES"}}


@pytest.mark.parametrize("network", WAYS)
def test_ways_of_convolutions_are_there_where_a_model_needs_them(network):
    flags = needs_of(training(network, "sgd", 1).image).flags()
    assert {way for way in ("DEPTHWISE", "PLANES") if f"-DGM_WITH_{way}=1" in flags} == WAYS[network]


def test_a_rule_that_is_none_is_an_error_of_the_image() -> None:
    """A board is asked before an image is sent: any file gives its sender an error, and not a traceback."""
    data = digits.image(optimizers.sgd(0.1), 2)
    image = read_image(data)
    at = min(int(str(i["operands"]["rule"]).removeprefix("constants+")) for i in image.updates)
    word = (image.header["sections"][3]["offset"] + at) // 4
    with pytest.raises(ImageError, match="an update rule cannot be read"):
        needs_of(with_word(data, word, 99))
