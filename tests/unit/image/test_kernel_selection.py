"""The flags of a firmware for some models leave out what none of them needs."""

import pytest
from bench.speed.cases import training

from gradmote.device.kernel_selection import needs_of

#: Networks, and the ways of convolutions in floats that not every model needs.
WAYS = {"cnn": set(), "ds_cnn": {"DEPTHWISE"}, "resnet_8": {"PLANES"}, "mobilenet_v1": {"DEPTHWISE", "PLANES"}}


@pytest.mark.parametrize("network", WAYS)
def test_ways_of_convolutions_are_there_where_a_model_needs_them(network):
    flags = needs_of(training(network, "sgd", 1).image).flags()
    assert {way for way in ("DEPTHWISE", "PLANES") if f"-DGM_WITH_{way}=1" in flags} == WAYS[network]
