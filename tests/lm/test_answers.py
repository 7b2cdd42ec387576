"""A model's text gives its own answer or none: cut off, wordy, or made to mislead."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rhythm.lm.answers import read_answer
from rhythm.vocab import (
    ACTIONS,
    Action,
    Belief,
    Decision,
    MalformedDecisionError,
    format_decision,
    parse_decision,
)

actions = st.sampled_from(ACTIONS)
beliefs = st.builds(Belief.from_digits, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
names = st.sampled_from(
    [a.name for a in ACTIONS] + [f"5 5 5 {a.name}" for a in ACTIONS] + [f"{a.name} 1 2 3" for a in ACTIONS]
)
thoughts = st.lists(
    names | st.text(st.characters(exclude_characters="<>", exclude_categories=["Cs"]), max_size=12)
).map("\n".join)
chatter = st.lists(
    st.sampled_from(["Sure!", "Here is my answer:", "", "Let me think about 3 things.", "Hope that helps."])
).map("\n".join)


def _read(text: str) -> Decision | None:
    try:
        return read_answer(text)
    except MalformedDecisionError as error:
        str(error).encode()
        return None


@given(actions, beliefs, thoughts)
def test_what_was_thought_is_never_done(action: Action, belief: Belief, thought: str) -> None:
    for tag in ("reasoning", "think"):
        found = read_answer(f"<{tag}>{thought}</{tag}>\n{belief.digits} {action.name}")
        assert (found.action, found.belief) == (action, belief)
        assert _read(f"<{tag}>{thought}\n{belief.digits} {action.name}") is None
        assert _read(f"<{tag}>{thought}</{tag}>") is None


@given(actions, beliefs, thoughts, st.data())
def test_a_text_that_was_cut_off_holds_the_same_action_or_none(
    action: Action, belief: Belief, thought: str, data: st.DataObject
) -> None:
    for line in (f"{belief.digits} {action.name}", f"{action.name} {belief.digits}"):
        text = f"<reasoning>{thought}</reasoning>\n{line}"
        cut = _read(text[: data.draw(st.integers(0, len(text)))])
        assert cut is None or cut.action is action
        assert cut is None or cut.belief in (None, belief)


@given(chatter, actions, beliefs, chatter, st.sampled_from(["{}", "**{}**", "`{}`", "Answer: {}", "> {}.", "- {}"]))
def test_words_around_the_answer_do_not_matter(
    before: str, action: Action, belief: Belief, after: str, frame: str
) -> None:
    for line in (f"{belief.digits} {action.name}", f"{action.name.lower()} {belief.digits}"):
        found = read_answer(f"{before}\n{frame.format(line)}\n{after}")
        assert (found.action, found.belief) == (action, belief)


@given(actions, actions, beliefs, beliefs)
def test_answers_that_differ_are_none(one: Action, other: Action, belief: Belief, second: Belief) -> None:
    found = _read(f"{belief.digits} {one.name}\nor rather\n{other.name} {second.digits}")
    assert (found is None) == ((one, belief) != (other, second))


@given(actions, st.none() | beliefs, st.none() | thoughts)
def test_what_is_written_by_the_vocabulary_reads_back(
    action: Action, belief: Belief | None, thought: str | None
) -> None:
    decision = Decision(action, belief, thought)
    assert read_answer(format_decision(decision)) == decision


@given(
    st.lists(
        st.sampled_from(["<reasoning>", "</think>", "</reasoning>", "\ud800", "5 5 5 ", "SLEEP", "\n"]) | st.text()
    ).map("".join)
)
@example("</reasoning>" * 2000)
def test_any_text_is_an_answer_or_a_typed_error(text: str) -> None:
    _read(text)


def test_a_model_that_repeats_itself_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def note(line: str) -> Decision:
        read.append(line)
        return parse_decision(line)

    monkeypatch.setattr("rhythm.lm.answers.parse_decision", note)
    assert read_answer("so\n5 5 5 LEARN\n" * 20_000).action is Action.LEARN
    assert sorted(read) == ["5 5 5 LEARN", "so"]
    assert _read("5 5 5 LEARN\n5 5 5 SLEEP\n" + "\n".join(map(str, range(20_000)))) is None
    assert len(read) == 4


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("I like SLEEP\n5 5 5 LEARN\n</reasoning>\n4 4 4 SLEEP", Action.SLEEP),
        ("4 4 4 SLEEP\n<reasoning>EXERCISE</reasoning>", Action.SLEEP),
        ("<reasoning>a</reasoning>4 4 4 LEARN<reasoning>b</reasoning>", None),
        ("<think>So:\n<reasoning>a</reasoning>\n4 4 4 LEARN\nor", None),
        ("<think><reasoning>a</reasoning>\n4 4 4 LEARN\n</think>\n<reasoning>b</reasoning>\n5 5 5 SLEEP", Action.SLEEP),
        ("<reasoning>I close with </think>\n4 4 4 LEARN", None),
        ("<think>a <reasoning> is a tag</THINK>\n5 5 5 LEARN", Action.LEARN),
        ("\u0665 \u0665 \u0665 LEARN", None),
        ("5 5 5 \uff2c\uff25\uff21\uff32\uff2e", None),
        ("5 5 5 EXERC\u0131SE", None),
        ("SLEEP", Action.SLEEP),
        ("Options:\nSLEEP\nEXERCISE", None),
        ("5 5 5 SLEEP because they are tired", None),
        ("5 5 SLEEP", None),
        ("10 5 5 SLEEP", None),
        ("5 5 5 NAP", None),
        ("", None),
    ],
)  # fmt: skip
def test_examples(text: str, action: Action | None) -> None:
    found = _read(text)
    assert (found and found.action) == action
