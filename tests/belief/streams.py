"""Made-up evidence on one person for the tests of the posterior."""

from hypothesis import strategies as st

from rhythm.vocab import (
    ACTIONS,
    METERS,
    OUTCOMES,
    Answered,
    Done,
    Evidence,
    Outcome,
    Reading,
    Response,
    SelfReport,
)

SLOTS = st.integers(400, 415)


def entries() -> st.SearchStrategy[Evidence]:
    """One piece of evidence on four days."""
    level = st.floats(0.0, 1.0)
    outcomes = st.sampled_from([o for o in OUTCOMES if o is not Outcome.RESCHEDULED])
    return st.one_of(
        st.builds(Answered, SLOTS, st.sampled_from(ACTIONS), st.builds(Response, outcomes)),
        st.builds(Done, SLOTS, st.sampled_from(ACTIONS)),
        st.builds(Reading, SLOTS, st.sampled_from(METERS), level, st.floats(0.05, 0.3)),
        st.builds(SelfReport, SLOTS, st.sampled_from(METERS), level),
    )


def answered(slot: int, action: int, outcome: Outcome = Outcome.ACCEPTED) -> Answered:
    """An answer."""
    return Answered(slot, ACTIONS[action], Response(outcome))
