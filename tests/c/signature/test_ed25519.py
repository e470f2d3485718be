"""The check of signatures on boards, compiled for this computer: RFC 8032's vectors, what the package cryptography
signs, and what no key signed."""

from __future__ import annotations

import ctypes
import hashlib
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from boards import BUILD, FIRMWARE_INCLUDES, THIRD_PARTY_FLAGS, signature_sources
from c.signature.keys import key_of
from monocypher import fetch_monocypher

from gradmote.formats.signing import sign
from runtime_sources import INCLUDES, RUNTIME, WARNING_FLAGS
from support.classifier_image import classifier_image

pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(shutil.which("gcc") is None, reason="apt-get install gcc")]

SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
ORDER = 2**252 + 27742317777372353535851937790883648493  #: of Ed25519's group
UNSIGNED, OTHER_KEY, BAD_SIGNATURE, BAD_CRC = -117, -118, -119, -5

#: RFC 8032, 7.1: (public key, message, signature).
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        b"",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
        "655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        b"\x72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
        "b00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        b"\xaf\x82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d"
        "c027beceea1ec40a",
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        hashlib.sha512(b"abc").digest(),
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17a"
        "d9bef1177331a704",
    ),
]


def compile_c(out: Path, sources: list[Path], *flags: str) -> Path:
    includes = [f"-I{path}" for path in (*INCLUDES, fetch_monocypher(BUILD))]
    flags = (*WARNING_FLAGS, *THIRD_PARTY_FLAGS, *includes, *flags)
    command = ["gcc", "-std=c11", "-O1", *flags, *map(str, sources), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> ctypes.CDLL:
    sources = [path for path in signature_sources(fetch_monocypher(BUILD)) if path.name != "signature.c"]
    flags = ["-shared", "-fPIC", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
    return ctypes.CDLL(str(compile_c(tmp_path_factory.mktemp("signature") / "ed25519.so", sources, *flags)))


@pytest.fixture(scope="module")
def flip_bits(tmp_path_factory) -> Path:
    """tests/c/signature/flip_bits.c with the key `own`."""
    key = ",".join(map(str, key_of("own").public_key().public_bytes_raw()))
    checks = signature_sources(fetch_monocypher(BUILD))
    sources = [Path(__file__).with_name("flip_bits.c"), *checks, RUNTIME / "src" / "crc32.c"]
    console = [f"-I{path}" for path in FIRMWARE_INCLUDES]
    out = tmp_path_factory.mktemp("signature") / "flip_bits"
    return compile_c(out, sources, *SANITIZED, f"-DSIGNATURE_KEY={key}", *console)


def is_signed(library: ctypes.CDLL, signature: bytes, key: bytes, message: bytes) -> bool:
    return bool(library.ed25519_is_signed(signature, key, message, ctypes.c_uint32(len(message))))


@pytest.mark.parametrize(("key", "message", "signature"), VECTORS, ids=["empty", "1 byte", "2 bytes", "SHA(abc)"])
def test_vectors_of_rfc_8032(library, key, message, signature):
    key, signature = bytes.fromhex(key), bytes.fromhex(signature)
    assert is_signed(library, signature, key, message)
    assert not is_signed(library, signature, key, message + b"\0")
    others = (signature[:at] + bytes([signature[at] ^ 1 << at % 8]) + signature[at + 1 :] for at in range(64))
    assert not any(is_signed(library, other, key, message) for other in others)


def test_what_cryptography_signs(library):
    """Messages of all lengths around the hash's blocks, of 128 bytes."""
    draw = random.Random(8032)
    for length in [*range(140), *range(180, 200), 256, 1000, 4096, 70_001]:
        key, message = key_of(str(length)), draw.randbytes(length)
        public, signature = key.public_key().public_bytes_raw(), key.sign(message)
        assert is_signed(library, signature, public, message)
        assert not is_signed(library, signature, key_of("another").public_key().public_bytes_raw(), message)


def test_a_signature_has_one_form(library):
    """S + L would be a second signature of the same message."""
    key = key_of("own")
    signature = key.sign(b"message")
    more = int.from_bytes(signature[32:], "little") + ORDER
    assert more < 2**256
    second = signature[:32] + more.to_bytes(32, "little")
    assert not is_signed(library, second, key.public_key().public_bytes_raw(), b"message")


@pytest.mark.parametrize("size", [0, 111, 112, 127, 128, 129, 239, 240, 100_000])
def test_sha512(library, size):
    """Compare with hashlib, in pieces."""
    data, digest = random.Random(size).randbytes(size), ctypes.create_string_buffer(64)
    state = ctypes.create_string_buffer(256)
    library.sha512_begin(state)
    for at in range(0, size, 1000):
        piece = data[at : at + 1000]
        library.sha512_add(state, piece, ctypes.c_uint32(len(piece)))
    library.sha512_end(state, digest)
    assert digest.raw == hashlib.sha512(data).digest()


def answers(program: Path, image: bytes, folder: Path, stride: int = 10**6) -> tuple[int, dict[int, int]]:
    """Return the code that signature_check() gives an image, and how often it gives each code with one bit flipped."""
    (folder / "image.mote").write_bytes(image)
    command = [str(program), str(folder / "image.mote"), str(stride)]
    first, *counts = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return int(first), {int(code): int(count) for code, count in map(str.split, counts)}


def test_no_flipped_bit_is_accepted(flip_bits, tmp_path):
    """Flip bits in the image, with its checksum repaired or not, and in what follows it."""
    code, counts = answers(flip_bits, sign(classifier_image(), key_of("own")), tmp_path, stride=13)
    assert code == 0 and 0 not in counts
    assert counts[UNSIGNED] == 64 and counts[OTHER_KEY] == 64 and counts[BAD_SIGNATURE] > 1000 < counts[BAD_CRC]


def test_unsigned_others_and_cut_ones_are_refused(flip_bits, tmp_path):
    image = classifier_image()
    assert answers(flip_bits, image, tmp_path)[0] == UNSIGNED
    assert answers(flip_bits, sign(image, key_of("other")), tmp_path)[0] == OTHER_KEY
    assert answers(flip_bits, sign(image, key_of("own"))[:-1], tmp_path)[0] == UNSIGNED
    claimed = bytearray(sign(image, key_of("other")))  # the own key's id, the other's signature
    claimed[len(image) + 8 : len(image) + 16] = key_of("own").public_key().public_bytes_raw()[:8]
    assert answers(flip_bits, bytes(claimed), tmp_path)[0] == BAD_SIGNATURE
