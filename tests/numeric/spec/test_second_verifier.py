"""A verifier written from docs/SPEC.md alone refuses what the product refuses, with the same code."""

from __future__ import annotations

import pytest
from numeric.spec.compare_mutants import Product, differences, originals
from numeric.spec.mutate import sealed
from numeric.spec.read_image import Image
from numeric.spec.trained_models import image
from numeric.spec.verify import error_of


@pytest.fixture(scope="module")
def images() -> list[bytes]:
    """The images that are changed."""
    return originals()


def test_the_images_themselves(images: list[bytes]) -> None:
    product = Product()
    assert {error_of(data) for data in images} == {product.error_of(data) for data in images} == {"OK"}


def test_mutants(images: list[bytes]) -> None:
    """A few hundred; those that open run in both implementations. .ci/nightly takes 10,000 others each night."""
    tally, found = differences(600, 1, images)
    assert found == []
    assert {"OK", "BAD_SECTION", "BAD_REGION", "BAD_TENSOR", "BAD_STATE", "BAD_OPERAND", "BAD_PROGRAM"} <= set(tally)


@pytest.mark.parametrize("bytes_more", [-4, 0, 4])
def test_arenas(bytes_more: int) -> None:
    data = image("mlp", "adam")
    size = Image(data).header.arena_size + bytes_more
    assert error_of(data, size) == Product().error_of(data, size) == ("OK" if bytes_more >= 0 else "ARENA_TOO_SMALL")


@pytest.mark.parametrize("size", [0, 4, 16, 128, 140, 143, 144, 145, 160])
def test_short_files(size: int) -> None:
    """The header has 144 bytes."""
    data = image("mlp", "adam")[:size]
    assert error_of(data) == Product().error_of(data) == "TRUNCATED"
    header = bytearray(image("mlp", "adam"))
    header[8:12] = size.to_bytes(4, "little")
    assert error_of(bytes(header)) == Product().error_of(bytes(header))


def test_code_before_tensors() -> None:
    """Check that the verifiers report, of two faults, the one whose check comes first."""
    data = bytearray(image("mlp", "sgd", store=12))
    sections = Image(bytes(data)).header.sections
    data[sections[2].offset] = 0xFF  # an opcode that does not exist
    assert error_of(sealed(data)) == Product().error_of(sealed(data)) == "BAD_OPCODE"
    data[sections[5].offset + 4] = 9  # a role of the state that does not exist
    assert error_of(sealed(data)) == Product().error_of(sealed(data)) == "BAD_STATE"
    data[sections[7].offset + 4 : sections[7].offset + 8] = bytes(4)  # a store for no sample
    assert error_of(sealed(data)) == Product().error_of(sealed(data)) == "BAD_STORE"
    data[sections[0].offset + 4] = 9  # a role of a tensor that does not exist
    assert error_of(sealed(data)) == Product().error_of(sealed(data)) == "BAD_TENSOR"
