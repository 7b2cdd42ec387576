"""The published results that ours stand beside: RhythmEnv, grader v2, its own simulator and people.

They were measured on another implementation of the same description, by others; the
archetypes are its "discrete-3-profiles". Each table states its own random and heuristic rows.
"""

from typing import Final, NamedTuple


class Published(NamedTuple):
    """One published number.

    Attributes:
        policy: as published.
        metric, condition: in our words.
        value: as published.
        n: episodes.
    """

    policy: str
    metric: str
    condition: str
    value: float
    n: int


_STUDENT_N: Final = {"in-distribution": 10, "ood": 10, "archetypes": 15}
_TEACHER_N: Final = {"in-distribution": 100, "ood": 50}


def _table(metric: str, episodes: dict[str, int], rows: dict[str, tuple[float | None, ...]]) -> tuple[Published, ...]:
    return tuple(
        Published(policy, metric, condition, value, n)
        for policy, values in rows.items()
        for (condition, n), value in zip(episodes.items(), values, strict=True)
        if value is not None
    )


PUBLISHED: Final[tuple[Published, ...]] = (
    *_table(
        "v2",
        _TEACHER_N,
        {
            "random (teacher's table)": (0.402, 0.397),
            "heuristic (teacher's table)": (0.449, 0.454),
            "gpt-5.4 teacher": (0.611, 0.621),
        },
    ),
    *_table(
        "v2",
        _STUDENT_N,
        {
            "random (student's table)": (0.393, 0.393, 0.426),
            "heuristic (student's table)": (0.463, 0.455, 0.455),
            "Qwen 2.5 3B, SFT": (0.574, 0.536, 0.507),
            "Qwen 2.5 3B, SFT and GRPO": (0.573, 0.559, 0.520),
        },
    ),
    *_table("belief_mae", _TEACHER_N, {"gpt-5.4 teacher": (0.196, 0.214)}),
    *_table(
        "belief_mae",
        _STUDENT_N,
        {"Qwen 2.5 3B, SFT": (0.213, None, 0.415), "Qwen 2.5 3B, SFT and GRPO": (0.216, 0.263, 0.430)},
    ),
)
"""Every published number that has a row of ours beside it."""
