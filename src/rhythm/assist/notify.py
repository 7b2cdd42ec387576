"""Notices of waiting suggestions through Apprise: off by default, never in quiet hours, each told once.

A notice holds no health value and no event title; it says what is suggested and for which part of the day.
"""

from rhythm.assist.context import Context
from rhythm.assist.limits import is_quiet
from rhythm.vocab.errors import RhythmError

CHANNEL = "apprise"


class NotifyError(RhythmError):
    """A notice could not be sent; nothing of it is lost, the page has it."""


def notify_waiting(context: Context, targets: str) -> int:
    """Tells of today's waiting suggestions that were not told yet; how many.

    Args:
        context: the person now.
        targets: Apprise addresses, one a line.

    Raises:
        NotifyError: Apprise is missing, or no target took the notice.
    """
    if not context.settings.notify or is_quiet(context.settings, context.now_at):
        return 0
    sent = 0
    for one in context.person.answers.exchanges(context.slot, context.day_slots[-1]):
        key = f"suggestion-{one.suggestion.number}"
        if one.answer is None and context.person.notices.claim(key, CHANNEL):
            part = one.suggestion.slot % 4
            words = ("this morning", "this afternoon", "this evening", "tonight")[part]
            _send(targets, f"{one.suggestion.action.label.capitalize()} {words}?")
            sent += 1
    return sent


def _send(targets: str, text: str) -> None:
    try:
        import apprise  # noqa: PLC0415 - an extra
    except ImportError:
        raise NotifyError("notices need the `notify` extra: pip install 'rhythm[notify]'") from None
    sender = apprise.Apprise()
    for target in targets.splitlines():
        if target.strip():
            sender.add(target.strip())
    if not sender.notify(title="Rhythm", body=text):
        raise NotifyError("no target took the notice; check the addresses in Settings")
