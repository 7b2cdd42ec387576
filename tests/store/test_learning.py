"""Posteriors, corrections, adapters; self-reports."""

from datetime import timedelta

import pytest

from rhythm.store import AdapterState, PersonStore, Store
from rhythm.store.erase import erase_person
from rhythm.store.errors import KeyReusedError, UnknownEntryError, UnknownPersonError
from rhythm.vocab import InvalidValueError, Meter
from store.samples import NOON_AT, SLOT, keep_posterior


def test_the_latest_posterior_of_a_kind_and_form(ada: PersonStore) -> None:
    for version in ("1", "2"):
        keep_posterior(ada, version.encode(), version=version, last_number=0)
    keep_posterior(ada, b"h", kind="habits", last_number=0)
    latest = ada.posteriors.latest("person")
    assert latest is not None
    assert latest.payload == b"2"
    older = ada.posteriors.latest("person", version="1")
    assert older is not None
    assert older.payload == b"1"
    assert ada.posteriors.latest("person", schema="s/2") is None


def test_only_the_newest_posteriors_of_a_kind_are_kept(ada: PersonStore) -> None:
    keep_posterior(ada, b"h", kind="habits", last_number=0)
    for i in range(6):
        keep_posterior(ada, bytes([i]), last_number=i, keep=3)
    assert ada.posteriors.clear("person") == 3
    assert ada.posteriors.clear() == 1


def test_the_newest_correction_that_holds_counts(ada: PersonStore) -> None:
    first = ada.corrections.add("social", "set", 0.2, at=NOON_AT)
    second = ada.corrections.add("social", "forget", note="that was a holiday")
    assert ada.corrections.holding() == {"social": second}
    ada.corrections.withdraw(second.number)
    assert ada.corrections.holding() == {"social": first}
    assert [c.withdrawn_at is None for c in ada.corrections.all()] == [True, False]
    with pytest.raises(UnknownEntryError):
        ada.corrections.withdraw(second.number)
    with pytest.raises(InvalidValueError):
        ada.corrections.add("social", "set", float("nan"))


def test_forgetting_and_its_withdrawal_drop_what_was_learned_and_what_is_being_learned(ada: PersonStore) -> None:
    ada.reports.add(SLOT, Meter.SERENITY, 0.75)
    forgotten = None
    for _ in range(2):
        keep_posterior(ada)
        retraction, standing = ada.posteriors.retraction(), ada.evidence.after().last_number
        if forgotten is None:
            forgotten = ada.corrections.add("everything", "forget", forgets=True)
        else:
            ada.corrections.withdraw(forgotten.number, forgot=True)
        assert ada.posteriors.latest("person") is None
        for last_number in (standing, ada.evidence.after().last_number):
            kept = ada.posteriors.save(
                "person", b"x", schema="s/1", version="1", last_number=last_number, retraction=retraction
            )
            assert kept is None
    ada.corrections.add("social", "set", 0.2)
    assert keep_posterior(ada) == ada.posteriors.latest("person")


def test_what_is_learned_of_someone_who_is_erased_meanwhile_is_not_kept_in_their_new_record(
    store: Store, ada: PersonStore
) -> None:
    """Their entries are numbered from the first again, so numbers alone do not tell the two records apart."""
    ada.reports.add(SLOT, Meter.SERENITY, 0.75)
    retraction, came_at = ada.posteriors.retraction(), ada.about().created_at
    standing = ada.evidence.after().last_number
    erase_person(store, "ada")
    assert ada.posteriors.retraction() is None
    again = store.create_person("ada")
    for person in (ada, again):
        kept = person.posteriors.save(
            "person", b"x", schema="s/1", version="1", last_number=standing, retraction=retraction
        )
        assert kept is None
        with pytest.raises(UnknownPersonError, match="not kept"):
            person.adapters.add(b"x", base="m", schema="a/1", version="1", metrics={}, came_at=came_at)
    assert (again.posteriors.latest("person"), again.adapters.all()) == (None, ())
    assert keep_posterior(again) is not None
    came_at = again.about().created_at
    assert again.adapters.add(b"x", base="m", schema="a/1", version="1", metrics={}, came_at=came_at).number


def test_at_most_one_adapter_is_deployed_and_it_can_be_reverted(ada: PersonStore) -> None:
    one, two = (
        ada.adapters.add(bytes([i]), base="student@1", schema="a/1", version="1", metrics={"log_loss": 0.1 * i})
        for i in range(2)
    )
    assert ada.adapters.deployed("a/1") is None
    for number in (one.number, two.number, one.number):
        ada.adapters.decide(number, AdapterState.DEPLOYED)
        deployed = ada.adapters.deployed("a/1")
        assert deployed is not None
        assert deployed.number == number
    assert [a.state for a in ada.adapters.all()] == [AdapterState.DEPLOYED, AdapterState.RETIRED]
    with pytest.raises(InvalidValueError):
        ada.adapters.decide(one.number, AdapterState.CANDIDATE)
    with pytest.raises(UnknownEntryError):
        ada.adapters.decide(999, AdapterState.DEPLOYED)
    assert ada.adapters.deployed("a/1") is not None, "a refused deployment retires nothing"


def test_adapters_of_two_schemas_are_deployed_side_by_side(ada: PersonStore) -> None:
    made = [
        ada.adapters.add(b"x", base="m", schema=schema, version="1", metrics={}) for schema in ("a/1", "b/1", "b/1")
    ]
    for one in made:
        ada.adapters.decide(one.number, AdapterState.DEPLOYED)
    assert [one.state for one in ada.adapters.all()] == ["deployed", "retired", "deployed"]
    for schema, number in (("a/1", made[0].number), ("b/1", made[2].number)):
        deployed = ada.adapters.deployed(schema)
        assert deployed is not None
        assert deployed.number == number
    assert ada.adapters.deployed("c/1") is None


def test_forgetting_rejects_every_adapter_that_is_or_was_in_use(ada: PersonStore, ben: PersonStore) -> None:
    schemas = ("a/1", "b/1", "b/1", "b/1")
    made = [ada.adapters.add(b"x", base="m", schema=schema, version="1", metrics={}) for schema in schemas]
    for one in made[:3]:
        ada.adapters.decide(one.number, AdapterState.DEPLOYED)
    other = ben.adapters.add(b"x", base="m", schema="a/1", version="1", metrics={})
    ben.adapters.decide(other.number, AdapterState.DEPLOYED)
    ada.corrections.add("everything", "forget", forgets=True)
    assert [one.state for one in ada.adapters.all()] == ["rejected", "rejected", "rejected", "candidate"]
    assert [one.state for one in ben.adapters.all()] == ["deployed"]


def test_a_self_report_comes_back_and_is_recorded_once(ada: PersonStore) -> None:
    report = ada.reports.add(SLOT, Meter.SERENITY, 0.75, at=NOON_AT, key="r1")
    assert ada.reports.add(SLOT, Meter.SERENITY, 0.75, at=NOON_AT + timedelta(hours=1), key="r1") == report
    assert ada.reports.in_slots(SLOT, SLOT) == (report,)
    with pytest.raises(KeyReusedError):
        ada.reports.add(SLOT, Meter.SERENITY, 0.5, key="r1")
    ada.reports.delete(report.number)
    assert ada.reports.in_slots(SLOT, SLOT) == ()
    with pytest.raises(UnknownEntryError):
        ada.reports.delete(report.number)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_self_report_that_is_no_level_is_refused(ada: PersonStore, value: float) -> None:
    with pytest.raises(InvalidValueError, match="serenity"):
        ada.reports.add(SLOT, Meter.SERENITY, value)
