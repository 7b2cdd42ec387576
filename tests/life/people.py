"""Random people, states and choices for the property tests of the life model."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import People

SEEDS = st.integers(0, 2**40)


def people(count: int) -> st.SearchStrategy[People]:
    """Profile rows of both populations, corners included."""
    return st.builds(
        lambda seed, population, corners: sample_people(np.arange(seed, seed + count), population, corners=corners),
        SEEDS,
        st.sampled_from(Population),
        st.booleans(),
    )


def levels(count: int) -> st.SearchStrategy[np.ndarray]:
    """Meter levels, the ends of the range included."""
    return hnp.arrays(np.float64, (count, 5), elements=st.floats(0.0, 1.0))


def choices(count: int) -> st.SearchStrategy[np.ndarray]:
    """Action indices."""
    return hnp.arrays(np.int8, count, elements=st.integers(0, 9))


def happenings(count: int) -> st.SearchStrategy[np.ndarray]:
    """Event indices."""
    return hnp.arrays(np.int8, count, elements=st.integers(0, 6))
