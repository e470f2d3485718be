"""The user's samples: one module for each file format, and what a model expects of them.

data = Dataset.read(Path("faces"), reading=Reading(scale=1 / 16, expected=expected_of(Path("model.mote"))))

`dataset.py` has the arrays that targets train on, `forms.py` detects the format of a path, and
`check.py` compares the samples with a model.
"""

from .check import not_finite, problems, require_fit
from .dataset import Dataset
from .expected import Expected, expected_of
from .reading import Reading

__all__ = ["Dataset", "Expected", "Reading", "expected_of", "not_finite", "problems", "require_fit"]
