"""No attribute of ONNX is ignored: each is read or refused by some rule."""

import pytest
from numeric.onnx_backend.attributes import NOT_READ, is_mentioned, schemas

SCHEMAS = schemas()


@pytest.mark.parametrize("op_type", SCHEMAS)
def test_every_attribute_of_every_version_is_dealt_with(op_type):
    names = {name for schema in SCHEMAS[op_type] for name in schema.attributes}
    ignored = {name for name in names if not is_mentioned(op_type, name) and (op_type, name) not in NOT_READ}
    assert not ignored, f"{op_type}: no rule reads {', '.join(sorted(ignored))}"


def test_what_is_said_not_to_be_read_exists():
    assert all(any(name in schema.attributes for schema in SCHEMAS[op_type]) for op_type, name in NOT_READ)
