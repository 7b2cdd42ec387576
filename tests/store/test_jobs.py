"""Jobs with leases, notices that are sent once, secrets that stay sealed."""

from datetime import timedelta

from rhythm.store import PersonStore, Store
from store.conftest import START_AT, Clock

HOUR = timedelta(hours=1)


def test_a_due_job_is_claimed_by_one_owner(store: Store, ada: PersonStore) -> None:
    ada.jobs.plan("weekly", START_AT, {"weeks": 4})
    assert store.due_jobs() == (("ada", "weekly"),)
    job = ada.jobs.claim("weekly", "a", HOUR)
    assert job is not None
    assert (job.owner, job.payload) == ("a", {"weeks": 4})
    assert ada.jobs.claim("weekly", "b", HOUR) is None
    assert store.due_jobs() == ()
    assert not ada.jobs.finish("weekly", "b", None)
    assert ada.jobs.finish("weekly", "a", START_AT + 7 * 24 * HOUR)
    assert store.due_jobs() == ()
    assert ada.jobs.claim("weekly", "b", HOUR) is None


def test_the_lease_of_a_dead_owner_ends_by_itself(store: Store, ada: PersonStore, clock: Clock) -> None:
    ada.jobs.plan("weekly", START_AT)
    ada.jobs.claim("weekly", "dead", HOUR)
    assert ada.jobs.renew("weekly", "dead", 2 * HOUR)
    clock.at += 3 * HOUR
    assert store.due_jobs() == (("ada", "weekly"),)
    assert ada.jobs.claim("weekly", "alive", HOUR) is not None
    assert not ada.jobs.renew("weekly", "dead", HOUR)
    assert not ada.jobs.finish("weekly", "dead", None)


def test_failures_are_counted_until_a_success(ada: PersonStore) -> None:
    ada.jobs.plan("sync", START_AT)
    for failures, error in ((1, "timeout"), (2, "timeout"), (0, None)):
        ada.jobs.claim("sync", "a", HOUR)
        ada.jobs.finish("sync", "a", START_AT, error)
        job = ada.jobs.get("sync")
        assert job is not None
        assert (job.failures, job.last_error) == (failures, error)


def test_planning_again_moves_the_time_and_keeps_the_rest(ada: PersonStore) -> None:
    ada.jobs.plan("sync", START_AT, {"of": "ring"})
    moved = ada.jobs.plan("sync", START_AT + HOUR)
    assert (moved.due_at, moved.payload) == (START_AT + HOUR, {"of": "ring"})
    assert ada.jobs.all() == (moved,)
    ada.jobs.delete("sync")
    assert ada.jobs.get("sync") is None
    assert ada.jobs.claim("sync", "one", HOUR) is None, "it is nobody's"


def test_what_is_due_of_everyone_comes_longest_due_first(store: Store, ada: PersonStore, ben: PersonStore) -> None:
    ada.jobs.plan("sync", START_AT)
    ben.jobs.plan("weekly", START_AT - HOUR)
    ben.jobs.plan("later", START_AT + HOUR)
    ben.jobs.plan("never", None)
    assert store.due_jobs() == (("ben", "weekly"), ("ada", "sync"))


def test_a_notice_is_claimed_once(ada: PersonStore) -> None:
    assert ada.notices.claim("suggestion/1", "ntfy")
    assert not ada.notices.claim("suggestion/1", "ntfy")
    assert [notice.key for notice in ada.notices.since(START_AT)] == ["suggestion/1"]
    assert ada.notices.since(START_AT + HOUR) == ()


def test_a_secret_is_replaced_deleted_and_never_listed_with_its_bytes(ada: PersonStore) -> None:
    ada.secrets.put("feed", b"\x00one")
    ada.secrets.put("feed", b"\xfftwo")
    assert ada.secrets.get("feed") == b"\xfftwo"
    (info,) = ada.secrets.all()
    assert info.created_at < info.updated_at
    assert "two" not in repr(info)
    assert ada.secrets.delete("feed")
    assert not ada.secrets.delete("feed")
    assert ada.secrets.get("feed") is None
