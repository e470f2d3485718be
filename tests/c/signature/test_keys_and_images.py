"""gradmote keygen, sign and inspect; keys as OpenSSL writes and reads them; what is refused."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys

import pytest
from c.signature.keys import key_of, write_keys
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from public_key import NoPublicKey, read_public_key

from gradmote import cli
from gradmote.errors import DataError, GradmoteError, ImageError
from gradmote.formats.image import read_image
from gradmote.formats.image.signature import signature_of, without_signature
from gradmote.formats.signing import check, load_private_key, load_public_key, sign
from gradmote_runtime import Session
from support.classifier_image import classifier_image

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="apt-get install openssl")


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.mote"
    path.write_bytes(classifier_image())
    return path


def openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], check=False, capture_output=True, text=True)


def test_the_commands(model, tmp_path, capsys):
    key = tmp_path / "key.pem"
    assert cli.main(["keygen", str(key)]) == 0
    public = tmp_path / "key.pub.pem"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 and "PUBLIC" in public.read_text()
    assert cli.main(["inspect", str(model), "--no-code"]) == 0 and "Not signed." in capsys.readouterr().out
    assert cli.main(["inspect", str(model), "--key", str(public)]) == 1
    assert "the image is not signed" in capsys.readouterr().err
    assert cli.main(["sign", str(model), "--key", str(key)]) == 0
    key_id = load_public_key(public).public_bytes_raw()[:8].hex()
    assert f"by key {key_id}" in capsys.readouterr().out
    assert cli.main(["inspect", str(model), "--key", str(public), "--no-code"]) == 0
    assert f"Signed by key {key_id}; the signature is valid." in capsys.readouterr().out
    assert cli.main(["inspect", str(model), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["key_id"] == key_id
    assert cli.main(["keygen", str(key)]) == 1 and "exists already" in capsys.readouterr().err


def test_signed_images_are_read_as_others(model):
    image = classifier_image()
    signed = sign(image, key_of("own"))
    assert without_signature(signed) == image and len(signed) == len(image) + 80
    assert read_image(signed).programs == read_image(image).programs
    with Session(image, "strict") as one, Session(signed, "strict") as other:
        assert one.state_sha256() == other.state_sha256()
    again = sign(signed, key_of("other"))
    assert again[: len(image)] == image and len(again) == len(signed)
    assert signature_of(image) is None and signature_of(again).key_id == read_image(again).key_id


def test_check():
    own, signed = key_of("own").public_key(), sign(classifier_image(), key_of("own"))
    check(signed, own)
    with pytest.raises(ImageError, match="by key .*, not"):
        check(sign(signed, key_of("other")), own)
    with pytest.raises(ImageError, match="one of them was changed"):
        check(signed[:-1] + bytes([signed[-1] ^ 1]), own)
    with pytest.raises(ImageError, match="checksum"):
        sign(signed[:200] + bytes([signed[200] ^ 1]) + signed[201:], key_of("own"))


@needs_openssl
def test_openssl_and_we_read_each_other(model, tmp_path):
    private, public, signature = tmp_path / "o.pem", tmp_path / "o.pub.pem", tmp_path / "signature"
    openssl("genpkey", "-algorithm", "ed25519", "-out", private)
    openssl("pkey", "-in", private, "-pubout", "-out", public)
    signed = sign(model.read_bytes(), load_private_key(private))
    check(signed, load_public_key(public))
    assert read_public_key(public) == load_public_key(public).public_bytes_raw()
    signature.write_bytes(signature_of(signed).value)
    verify = ["pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in", model, "-sigfile", signature]
    reported = openssl(*verify)
    assert "Verified Successfully" in reported.stdout, reported.stderr


def test_keys_with_a_passphrase(tmp_path):
    path, word = tmp_path / "key.pem", b"three words long"
    pem = key_of("own").private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(word))
    path.write_bytes(pem)
    assert load_private_key(path, word.decode).private_bytes_raw() == key_of("own").private_bytes_raw()
    for asked in (lambda: "wrong", None):
        with pytest.raises(DataError, match="passphrase"):
            load_private_key(path, asked)


def test_wrong_keys_are_told(tmp_path):
    private, public = write_keys("own", tmp_path)
    other = ec.generate_private_key(ec.SECP256R1())
    (tmp_path / "ec.pem").write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (tmp_path / "text").write_text("no key")
    reported = {public: "no private key", tmp_path / "ec.pem": "another kind", tmp_path / "x": "cannot read"}
    for name, words in reported.items():
        with pytest.raises(DataError, match=words):
            load_private_key(name)
    for name in (private, tmp_path / "text", tmp_path / "x"):
        with pytest.raises(DataError):
            load_public_key(name)
        with pytest.raises(NoPublicKey):
            read_public_key(name)
    with pytest.raises(NoPublicKey, match="private key, which no firmware may carry"):
        read_public_key(private)


def test_without_the_package(model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)
    with pytest.raises(GradmoteError, match=r"not installed - pip install cryptography"):
        load_private_key(tmp_path / "key.pem")
