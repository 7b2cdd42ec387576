"""The prompt of a real moment: the person's own answers of thirty days, nothing of later, cut to what can be read."""

from hypothesis import given
from hypothesis import strategies as st

from rhythm.lm.prompt import HISTORY_SLOTS
from rhythm.lm.real_life import history_before, moment, newest_that_fit
from rhythm.vocab import Action, Answered, Done, Evidence, Meter, Outcome, Reading, Response, SelfReport

NOW = 738_000 * 4
METERS = (0.61, None, 0.5, None, 0.43)


def test_a_moment_holds_the_persons_answers_and_nothing_of_later() -> None:
    evidence: list[Evidence] = [
        Done(NOW + 1, Action.BINGE_WATCH),
        Answered(NOW, Action.SLEEP, Response(Outcome.ACCEPTED)),
        SelfReport(NOW, Meter.VITALITY, 0.99),
        Answered(NOW - 1, Action.DEEP_WORK, Response(Outcome.IGNORED), meters=(0.7, None, None, None, None)),
        Done(NOW - 3, Action.EXERCISE),
        Reading(NOW - 4, Meter.SERENITY, 0.11, 0.1),
        SelfReport(NOW - 2, Meter.SERENITY, 0.8),
        Answered(NOW - HISTORY_SLOTS, Action.LEARN, Response(Outcome.EXPIRED)),
        Answered(NOW - HISTORY_SLOTS - 1, Action.ADMIN_WORK, Response(Outcome.ACCEPTED)),
    ]
    told = moment(NOW, METERS, history_before(evidence, NOW))[1]["content"]
    lines = told.split("\n")
    assert lines[0] == "Last 30 days:"
    assert [line.split(" ", 2)[2] for line in lines[1:4]] == [
        "LEARN suggested: expired",
        "EXERCISE done",
        "the person says: serenity 0.80",
    ]
    assert lines[4].endswith("V 0.70, DEEP_WORK suggested: ignored")
    assert lines[5] == ""
    assert "vitality 0.61, cognition unknown, progress 0.50, serenity unknown, connection 0.43" in told
    for later in ("BINGE_WATCH", "SLEEP", "0.99", "0.11", "ADMIN_WORK"):
        assert later not in told


@given(st.integers(0, 40), st.integers(-1, 60))
def test_what_can_be_read_is_the_newest_and_as_much_as_fits(length: int, most: int) -> None:
    history = [Done(NOW + k, Action.LEARN) for k in range(length)]
    kept = newest_that_fit(history, lambda part: len(part) <= most)
    assert list(kept) == history[len(history) - max(0, min(length, most)) :]
