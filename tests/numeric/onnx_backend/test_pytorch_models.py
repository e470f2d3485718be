"""The PyTorch models in onnx's wheel: how many infer what PyTorch computed."""

from numeric.onnx_backend import pytorch


def test_enough_of_them_infer_and_the_others_say_why():
    found = dict(pytorch.differences())
    refused = {name: reason for name, reason in found.items() if reason is not None}
    assert not [name for name, reason in refused.items() if reason.startswith("other numbers")]
    assert len(found) - len(refused) >= pytorch.AT_LEAST, refused
