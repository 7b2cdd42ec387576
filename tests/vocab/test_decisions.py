"""The text form of a decision: exact both ways, whatever the reason holds, and no text ends in another error."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rhythm.vocab import Action, Belief, Decision, MalformedDecisionError, format_decision, parse_decision
from vocab import made

TAGS = st.sampled_from(
    ["<reasoning>", "</reasoning>", "</Reasoning>", "<REASONING>", "&lt;", "&amp;", "&", "lt;", "amp;", "/reasoning>",
     "reasoning>", "<", "</", ">", "\n", "\r\n", "\u2028", "\x1c", "\u017f", "5 5 5 SLEEP", " ", "&LT;"]
)  # fmt: skip
reasons = st.lists(TAGS | made.writable, max_size=8).map("".join)


@given(made.actions, st.none() | made.stated_beliefs, st.none() | reasons)
@example(Action.SLEEP, None, "he wrote </reasoning> in it")
@example(Action.SLEEP, Belief.from_digits(1, 2, 3), "&lt;/reasoning>")
@example(Action.SLEEP, None, "&amp;lt;/reasoning> and </reasoning>\n5 5 5 LEARN")
@example(Action.SLEEP, None, "<reasoning>")
@example(Action.SLEEP, None, "R&amp;D &lt; fun")
def test_the_text_form_reads_back_as_it_was(action: Action, belief: Belief | None, reason: str | None) -> None:
    decision = Decision(action, belief, reason)
    text = format_decision(decision)
    text.encode()
    assert parse_decision(text) == decision


@given(made.decisions)
def test_any_belief_reads_back_to_the_nearest_digit(decision: Decision) -> None:
    read = parse_decision(format_decision(decision))
    assert (read.action, read.reason) == (decision.action, decision.reason)
    assert (read.belief is None) == (decision.belief is None)
    if read.belief is not None and decision.belief is not None:
        assert read.belief.digits == decision.belief.digits
        assert max(abs(a - b) for a, b in zip(read.belief.values, decision.belief.values, strict=True)) <= 1 / 18 + 1e-9


@given(reasons)
def test_an_ordinary_reason_is_written_as_it_is(reason: str) -> None:
    if "reasoning>" not in reason.lower() and reason.strip():
        assert f"<reasoning>{reason.strip()}</reasoning>" in format_decision(Decision(Action.SLEEP, reason=reason))


@given(st.lists(TAGS | st.text() | st.sampled_from(["5 5 5 ", "SLEEP", "sleep", "\ud800"])).map("".join))
@example("<reasoning>\ud800</reasoning>\nSLEEP")
@example("\u0665 5 5 SLEEP")
def test_any_text_is_a_decision_or_a_typed_error(text: str) -> None:
    try:
        decision = parse_decision(text)
    except MalformedDecisionError as error:
        str(error).encode()
    else:
        assert parse_decision(format_decision(decision)) == decision


@pytest.mark.parametrize("text", [None, b"5 5 5 SLEEP", 5, ["5 5 5 SLEEP"], Decision(Action.SLEEP)])
def test_what_is_no_text_is_a_malformed_decision(text: object) -> None:
    with pytest.raises(MalformedDecisionError, match="a decision is text"):
        parse_decision(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["\u017fLEEP", "5 5 5 \u017fleep", "me_t\u0131me", "\uff33\uff2c\uff25\uff25\uff30", "\uff15 5 5 SLEEP",
     "SLEEP\u200b", "5\u00a05 5 SLEEP", "<rea\u017foning>x</rea\u017foning>",
     "<reasoning>x</rea\u017foning>\nSLEEP"],
)  # fmt: skip
def test_letters_and_digits_of_other_alphabets_are_not_ours(text: str) -> None:
    with pytest.raises(MalformedDecisionError):
        parse_decision(text)


def test_tags_of_other_alphabets_are_no_tags() -> None:
    decision = parse_decision("<rea\u017foning>so</rea\u017foning>\nSLEEP")
    assert decision == Decision(Action.SLEEP)


@pytest.mark.parametrize(
    "hostile", ["<reasoning>", "</reasoning>", "<reasoning></reasoning>", "&amp;", "5 ", "A", "\n"]
)
def test_a_megabyte_of_tags_is_read_in_a_moment(hostile: str) -> None:
    """It would take minutes if every open tag were searched to the end of the text."""
    text = hostile * (1_000_000 // len(hostile))
    begun = time.process_time()
    with pytest.raises(MalformedDecisionError):
        parse_decision(text)
    parse_decision(f"<reasoning>{text.replace('</', '<')}</reasoning>\nSLEEP")
    assert time.process_time() - begun < 5.0
