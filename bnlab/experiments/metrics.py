"""What the papers measure: the accuracy of a classifier on test rows, and an interval around it."""

from __future__ import annotations

from math import sqrt

Z95 = 1.959963984540054


def half_width(accuracy: float, n_test: int, z: float = Z95) -> float:
    """Half of the normal interval of a proportion, ``z sqrt(p (1 - p) / n)``.

    Parameters
    ----------
    accuracy : float
        Share of hits, in 0..1.
    n_test : int
        Rows that were classified.
    z : float
        Standard errors on each side: 1.96 for a 95 % interval, 1 for one of 68 %.

    Examples
    --------
    >>> round(100 * half_width(0.7848, 5000), 2)
    1.14
    """
    if not 0 <= accuracy <= 1:
        raise ValueError(f"accuracy={accuracy}: a share between 0 and 1 is needed")
    if n_test < 1:
        raise ValueError(f"n_test={n_test}: an interval needs at least one test row")
    return z * sqrt(accuracy * (1 - accuracy) / n_test)


def implied_test_rows(accuracy: float, half: float, z: float = Z95) -> float:
    """Number of test rows for which `half_width` gives `half`: what a printed interval says about its test set."""
    return z * z * accuracy * (1 - accuracy) / (half * half)
