"""What holds for every wearable source; each source's test module runs it over an example file of its own."""

from pathlib import Path

from rhythm.bridge.wearables.records import gate
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.bridge.wearables.sources import Batch, Checkpoint, WearableSource, coverage, source_named, source_of


class SourceContract:
    """Mix into a test class that gives `source` and `example` fixtures; the example holds every declared signal."""

    def _read(self, source: WearableSource, example: Path, resume_from: Checkpoint | None = None) -> list[Batch]:
        return list(source.read(example, resume_from=resume_from))

    def test_it_is_registered_and_found_by_its_file(self, source: WearableSource, example: Path) -> None:
        assert source_named(source.name).name == source.name
        assert source_of(example).name == source.name

    def test_it_delivers_what_it_declares_and_nothing_else(self, source: WearableSource, example: Path) -> None:
        got = {r.signal for b in self._read(source, example) for r in b.records}
        assert got == source.delivers

    def test_its_coverage_table_is_true_to_the_signals(self, source: WearableSource) -> None:
        rows = coverage(source)
        assert [r.signal for r in rows] == [s for s in Signal if s in source.delivers]
        assert all(r.unit == SIGNALS[r.signal].unit and r.meters == SIGNALS[r.signal].feeds for r in rows)

    def test_every_record_is_plausible_and_names_its_source(self, source: WearableSource, example: Path) -> None:
        for batch in self._read(source, example):
            for r in batch.records:
                assert gate(r.signal, r.value, r.start_at, r.end_at) is None
                assert r.source.startswith(f"{source.name}/")
                assert r.start_at.utcoffset() == r.end_at.utcoffset() == r.start_at - r.start_at

    def test_reading_twice_gives_the_same_keys(self, source: WearableSource, example: Path) -> None:
        first, second = ([r.key for b in self._read(source, example) for r in b.records] for _ in range(2))
        assert first == second
        assert len(set(first)) == len(first)

    def test_it_goes_on_from_every_checkpoint_without_loss_or_repeat(
        self, source: WearableSource, example: Path
    ) -> None:
        batches = self._read(source, example)
        keys = [[r.key for r in b.records] for b in batches]
        for i, batch in enumerate(batches):
            rest = [r.key for b in self._read(source, example, batch.checkpoint) for r in b.records]
            assert rest == [k for later in keys[i + 1 :] for k in later]

    def test_a_checkpoint_of_another_file_is_not_used(self, source: WearableSource, example: Path) -> None:
        stale = Checkpoint(source.name, "another", 10**6)
        batches = self._read(source, example, stale)
        assert sum(len(b.records) for b in batches) == sum(len(b.records) for b in self._read(source, example))
        assert any(p.kind == "stale_checkpoint" for b in batches for p in b.problems)

    def test_progress_rises_to_the_end(self, source: WearableSource, example: Path) -> None:
        seen: list[tuple[int, int]] = []
        for _ in source.read(example, progress=lambda done, total: seen.append((done, total))):
            pass
        assert seen == sorted(seen)
        assert seen[-1][0] == seen[-1][1] > 0

    def test_only_the_last_batch_is_done(self, source: WearableSource, example: Path) -> None:
        done = [b.checkpoint.done for b in self._read(source, example)]
        assert done[-1]
        assert not any(done[:-1])
