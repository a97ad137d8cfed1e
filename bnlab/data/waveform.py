"""The waveform generator.

L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone (1984), Classification and Regression Trees, section 2.6.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bnlab._runtime.budget import check_memory

if TYPE_CHECKING:
    import pandas as pd

BYTES_A_ROW = 400
"""The attributes, and once more in the columns of the frame, and what the class is drawn from."""
_BLOCK_ROWS = 1 << 16  # are drawn in some hundredths of a second, after which Ctrl-C is heard
_PEAKS = (7, 15, 11)
_WAVES_OF_CLASS = ((0, 1), (0, 2), (1, 2))


def waveform(n: int, seed: int) -> pd.DataFrame:
    """Rows drawn from the waveform model.

    The base waves are the triangles h(i) = max(6 - |i - peak|, 0), i = 1 .. 21, with peaks at 7, 15 and 11. A row of
    class 0, 1 or 2 (equally probable) is u h_a + (1 - u) h_b + ε, with u uniform on [0, 1], ε standard normal, and
    waves (1, 2), (1, 3) or (2, 3).

    Parameters
    ----------
    n : int
        Number of rows, at least 1.
    seed : int

    Returns
    -------
    DataFrame of shape (n, 22)
        Columns x1 .. x21, and the categorical "class". The UCI file (`load_frame("waveform")`) is a sample of the
        same model, rounded to two decimals.

    Raises
    ------
    ValueError
        If n < 1, or the rows would need more memory than one operation may have.

    Examples
    --------
    >>> waveform(3, seed=1).shape
    (3, 22)
    """
    import pandas as pd

    if n < 1:
        raise ValueError(f"n={n}: at least one row.")
    check_memory(BYTES_A_ROW * n, f"{n:.3g} rows of the waveform model", "draw fewer rows")
    rng = np.random.default_rng(seed)
    waves = np.maximum(6.0 - np.abs(np.arange(1, 22) - np.array(_PEAKS)[:, None]), 0.0)
    label = rng.integers(3, size=n)
    first, second = np.array(_WAVES_OF_CLASS)[label].T
    u = rng.random((n, 1))
    x = np.empty((n, 21))
    for begin in range(0, n, _BLOCK_ROWS):
        rows = slice(begin, begin + _BLOCK_ROWS)
        x[rows] = u[rows] * waves[first[rows]] + (1 - u[rows]) * waves[second[rows]]
        x[rows] += rng.standard_normal((len(x[rows]), 21))
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(1, 22)])
    return frame.assign(**{"class": pd.Categorical.from_codes(label, [0, 1, 2])})
