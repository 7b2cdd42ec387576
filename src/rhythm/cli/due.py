"""What is due for the people of a household: done here, and where wanted adapters by other processes or a cluster."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock

import typer

from rhythm.assist import Assistant
from rhythm.assist.household import Household
from rhythm.assist.tokens import HomeError
from rhythm.assist.weekly import due_for_fitting, fit_due_adapter
from rhythm.cli.serving import in_background
from rhythm.spread import opened
from rhythm.store import Store
from rhythm.store.errors import UnknownPersonError
from rhythm.vocab.errors import RhythmError

DUE_EVERY_S = 60.0
AT_ONCE = 4
"""People for whom something is done at the same time; most of it waits for calendars' servers."""

log = logging.getLogger(__name__)

AssistantOf = Callable[[str], Assistant]
Does = Callable[[Assistant], int]
Count = dict[str, int]


def work(
    household: Household, store: Store, assistant_of: AssistantOf, stopped: Event, does: Does = Assistant.run_due, *,
    fits: bool = False,
) -> None:  # fmt: skip
    """Does what is due for everyone, minute by minute, until it is stopped.

    Args:
        household: whose people.
        store: the database.
        assistant_of: gives somebody's assistant.
        stopped: ends it.
        does: what is done for one person.
        fits: whether there are adapters that take long; they are fitted beside, so that nothing else waits for them.
    """
    if fits:
        in_background(lambda: rounds(lambda: due_round(household, store, assistant_of, Assistant.fit_due), stopped))
    rounds(lambda: due_round(household, store, assistant_of, does), stopped)


def rounds(one: Callable[[], object], stopped: Event) -> None:
    """Does something minute by minute until it is stopped; what fails is said and done again."""
    while not stopped.is_set():
        try:
            one()
        except RhythmError as error:  # the database or the cluster may be away for a while
            typer.echo(f"rhythm: what is due waits: {error}", err=True)
        except Exception as error:  # noqa: BLE001 - what is due next must not wait for a restart
            typer.echo(f"rhythm: what is due waits ({type(error).__name__})", err=True)
        stopped.wait(DUE_EVERY_S)


def due_round(household: Household, store: Store, assistant_of: AssistantOf, does: Does = Assistant.run_due) -> Count:
    """Does what is due now for those who are here; how many people and pieces of work it was, and how many failed.

    Several processes, on several machines too, can be at it: each piece is done by the one that takes its lease.
    One whose work fails, or takes long, does not keep the others waiting: everyone is kept up with first, then the
    work of several people is done at once.

    Args:
        household: whose people.
        store: the database.
        assistant_of: gives somebody's assistant.
        does: what is done for one person.

    Raises:
        StoreError: it cannot be asked what is due.
    """
    here = set(household.ids())
    due = list(dict.fromkeys(who for who, _ in store.due_jobs() if who in here))
    done = _nothing() | {"people": len(due)}
    failed: set[str] = set()
    counting = Lock()

    def serve(person_id: str, doing: Does) -> None:
        try:
            count = doing(assistant_of(person_id))
        except (HomeError, UnknownPersonError):
            return  # they are being removed, or their link is shut
        except Exception as error:  # noqa: BLE001 - and its text could hold what was read
            log.error("work that was due failed: %s", type(error).__name__)  # noqa: TRY400
            with counting:
                failed.add(person_id)
            return
        with counting:
            done["pieces"] += count

    for person_id in due:
        serve(person_id, _kept_up)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for ended in [pool.submit(serve, person_id, does) for person_id in due]:
            ended.result()
    return done | {"failed": len(failed)}


def _kept_up(assistant: Assistant) -> int:
    assistant.keep_up()
    return 0


def fitting_round(household: Household, store: Store, workers: int | None, cluster: str) -> Count:
    """Has adapters that are due fitted by several processes at once; counted as in `due_round`.

    What is given out is a person's id. Whoever fits reads the database itself: processes of this machine the one that
    is known here, workers of a cluster the one that their own environment names, so that no address and no password
    of it passes through the scheduler.

    Args:
        household: whose people.
        store: the database.
        workers: processes of this machine; one for each core by default.
        cluster: address of a scheduler; empty for this machine.

    Raises:
        StoreError: the database cannot be used.
        SpreadError, NoDatabaseError: a cluster that cannot do it.
    """
    here = set(household.ids())
    due = [who for who in due_for_fitting(store) if who in here]
    done = _nothing()
    if not due:
        return done
    database = "" if cluster else household.database
    with opened(workers, cluster, len(due)) as crew:
        for _, fitted in crew.finished(fit_due_adapter, {who: (who, database) for who in due}):
            done["people"] += 1
            done["pieces"] += fitted is True
            done["failed"] += fitted is None
    return done


def _nothing() -> Count:
    return {"people": 0, "pieces": 0, "failed": 0}
