"""Small discrete data with attributes that depend on each other."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def weather():
    """300 rows, 4 attributes of mixed kinds, 3 classes; two attributes depend on each other given the class."""
    rng = np.random.default_rng(11)
    season = rng.integers(0, 3, 300)
    rain = (rng.random(300) < np.array([0.2, 0.5, 0.8])[season]).astype(int)
    grass = np.where(rng.random(300) < 0.9, rain, 1 - rain)
    wind = rng.choice(["calm", "breeze", "storm"], 300)
    mud = (rng.random(300) < 0.1 + 0.6 * rain).astype(bool)
    X = pd.DataFrame({"rain": rain, "grass": np.array(["dry", "wet"])[grass], "wind": wind, "mud": mud})
    return X, pd.Series(np.array(["autumn", "spring", "winter"])[season], name="season")
