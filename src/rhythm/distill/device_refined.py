"""A refined student in a file of weights, and whether it helps: the same people with both, and the known traps.

What a refinement by reward may hide is looked for: silence, few actions for everybody, a life
of two actions in turn, suggestions that nobody accepts any more, worse beliefs.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.living_play import Played, play
from rhythm.bench.rows import Row, demanded
from rhythm.distill.adapter_choice import choose_plan, write_plan
from rhythm.distill.device_channel import live
from rhythm.distill.device_export import DEVICE_REFINED_LIMITS, device_difference, weights_of
from rhythm.distill.device_living import StudentAssistant
from rhythm.distill.device_record import FIRST_EVALUATION_SEED
from rhythm.distill.model_writing import checked, write_model
from rhythm.distill.refining import Refined, described, earlier_of
from rhythm.life.counter import Stream, scramble_seeds
from rhythm.life.living import Seen
from rhythm.policy.student.device_model import DeviceModel, read_device_card, read_device_model
from rhythm.policy.student.weights_file import digest_of_weights
from rhythm.vocab import ACTION_COUNT, WEEK_STEPS

Floats = NDArray[np.float64]

_FIRST, _REFINED = "first", "refined"
_CHECKED: Final = np.arange(6_900_000, 6_900_006)
"""Training people of whose first two weeks file and network are compared."""


def write_refined(first: Path, to: Path, refined: Refined, people: int) -> float:
    """Write refined weights, their card, and a plan of adapters chosen for them; the greatest difference of the file.

    Args:
        first: weights that it began with.
        to: where to write.
        refined: to the last turn.
        people: training people on whom adapters are chosen.

    Raises:
        DamagedModelError: what is served would differ by more than `rhythm.distill.model_writing.MOST_DIFFERENCE`.
    """
    network = refined.network.eval()
    card, weights = read_device_card(first), weights_of(network)
    behind = [*earlier_of(card.training), described(refined, card.sha256)]
    training = {**card.training, "limits": DEVICE_REFINED_LIMITS, "refined": behind}
    write_model(to, weights, msgspec.structs.replace(card, sha256=digest_of_weights(weights), training=training))
    keys = scramble_seeds(np.arange(len(_CHECKED)), Stream.POLICY)
    lived = live(read_device_model(to), _CHECKED, keys, 2 * WEEK_STEPS)
    difference = checked(to, device_difference(network, to, lived.tokens))
    write_plan(choose_plan(read_device_model(to), people), to)
    return difference


class _Overheard(StudentAssistant):
    """Keeps what it suggested."""

    def __init__(self, model: DeviceModel, seeds: NDArray[np.int64]) -> None:
        super().__init__(model, seeds)
        self.offered: list[NDArray[np.int8]] = []

    def learn(self, offered: NDArray[np.int8], seen: Seen) -> None:
        self.offered.append(offered)
        super().learn(offered, seen)


def compared(first: DeviceModel, refined: DeviceModel, people: int, weeks: int) -> list[Row]:
    """Weeks of evaluation people with both networks: refined less first, and how each suggests."""
    seeds = np.arange(FIRST_EVALUATION_SEED, FIRST_EVALUATION_SEED + people)
    played: dict[str, Played] = {}
    rows: list[Row] = []
    for name, model in ((_FIRST, first), (_REFINED, refined)):
        assistant = _Overheard(model, seeds)
        played[name] = play(seeds, weeks, assistant)
        rows += ways_of(name, assistant.offered)
    return [*differences(played[_FIRST], played[_REFINED]), *rows]


def differences(first: Played, refined: Played) -> list[Row]:
    """Refined less first on the same people, over all weeks; what is wanted is more wellbeing and no worse beliefs."""
    rows = []
    for metric in ("wellbeing", "accepted", "errors"):
        ours, theirs = (getattr(one, metric).reshape(len(one.wellbeing), -1).mean(axis=1) for one in (refined, first))
        one = statistics.mean(ours - theirs)
        rows.append(Row(f"{metric}-less-first/{_REFINED}/all", one.value, one.low, one.high, one.n))
    gain = rows[0]
    assert gain.low is not None
    rows[0] = msgspec.structs.replace(
        gain, band=(0.0, None), ok=gain.low > 0.0, note="its whole interval must be above"
    )
    return rows


def ways_of(name: str, offered: Sequence[NDArray[np.int8]]) -> list[Row]:
    """How somebody suggests: share of silence, actions in use, and how much one person's two commonest make up.

    Args:
        name: of who suggests.
        offered: actions, -1 for nothing, slot by slot, each of shape (people,).
    """
    table = np.stack(offered)
    counts = np.stack([(table == action).sum(axis=0) for action in range(ACTION_COUNT)], axis=1)
    shares = counts.sum(axis=0) / max(1, counts.sum())
    in_use = float(np.exp(-(shares * np.log(np.maximum(shares, 1e-12))).sum()))
    two = np.sort(counts, axis=1)[:, -2:].sum(axis=1) / np.maximum(1, counts.sum(axis=1))
    again = (table[2:] == table[:-2]) & (table[2:] != table[1:-1]) & (table[2:] >= 0)
    return [
        demanded(Row(f"silence/{name}/all", float((table < 0).mean())), None, 0.5),
        demanded(Row(f"actions-in-use/{name}/all", in_use, note="exponential of the entropy"), 4.0, None),
        demanded(Row(f"two-commonest/{name}/all", float(two.mean())), None, 0.8),
        demanded(Row(f"two-in-turn/{name}/all", float(again.mean())), None, 0.5),
    ]
