"""scikit-learn's front door: a fitted estimator in, an image out, and what the board learned back in its coefficients.

    made = gradmote.sklearn.compile(make_pipeline(StandardScaler(), MLPClassifier()).fit(X, y), batch=8)
    Path("model.mote").write_bytes(made.image)
    made.update(pipeline, "learned.gmck")  # from here on it predicts what the board learned

It trains the coefficients and intercepts of a pipeline's last step, under their own names; the steps before it are
constants. It needs scikit-learn 1.5 or later, which the extra [sklearn] installs.
"""

from __future__ import annotations

from .compiling import compile
from .made import Made

__all__ = ["Made", "compile"]
