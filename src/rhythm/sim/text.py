"""An observation in words, for a person or a language model to read."""

from rhythm.vocab import METERS, WEEK_STEPS, LifeEvent, Observation, describe_slot


def describe(seen: Observation) -> str:
    """A few plain lines: when it is, what happens, the five meters, what was done last."""
    when = "The week is over." if seen.done else f"{describe_slot(seen.step)}, step {seen.step} of {WEEK_STEPS}."
    lines = [when]
    if seen.event is not LifeEvent.NONE:
        lines.append(f"What happens: {seen.event.label}.")
    for meter in METERS:
        level = seen.meters[meter]
        shown = "unknown" if level is None else f"{level:.2f} ({seen.deltas[meter]:+.3f})"
        lines.append(f"  {meter.label:<10} {shown}")
    if seen.last_action is not None:
        lines.append(f"Last: {seen.last_action.label}, which paid {seen.last_reward:+.2f}.")
    return "\n".join(lines)
