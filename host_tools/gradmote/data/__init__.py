"""The user's samples: one file for each form that they come in, and what a model expects of them.

data = Dataset.read(Path("faces"), reading=Reading(scale=1 / 16, expected=expected_of(Path("model.mote"))))

`dataset.py` has the arrays that targets train on, `forms.py` says which form a path has, and
`check.py` holds the samples against a model.
"""

from .check import not_finite, problems, require_fit
from .dataset import Dataset
from .expected import Expected, expected_of
from .reading import Reading

__all__ = ["Dataset", "Expected", "Reading", "expected_of", "not_finite", "problems", "require_fit"]
