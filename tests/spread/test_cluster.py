"""A cluster's workers give the same bits as this machine, whoever of them dies; what is wrong is said in a sentence."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import dask
import distributed
import msgspec
import numpy as np
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from rhythm.bench import living_run
from rhythm.cli.main import main
from rhythm.distill.dataset import Plan, make_dataset
from rhythm.distill.device_dataset import LivesPlan, make_lives
from rhythm.policy.student.device_model import DEVICE_WEIGHTS
from rhythm.policy.student.shipped import SHIPPED
from rhythm.rehearse import run
from rhythm.spread import (
    ItemError,
    MissingClusterError,
    NoSchedulerError,
    NoWorkersError,
    OtherCodeError,
    WorkerLostError,
    opened,
)
from rhythm.spread import cluster as spread_cluster
from rhythm.spread.code import code_here
from rhythm.vocab import InvalidValueError
from spread import items

SEED = 2_730_000
NOBODY = "tcp://127.0.0.1:9"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread_cluster, "ANSWERS_WITHIN_S", 1.0)
    monkeypatch.setattr(spread_cluster, "WORKS_WITHIN_S", 0.5)


@contextmanager
def asked(address: str) -> Iterator[Any]:
    """The cluster, asked by somebody else."""
    client: Any = distributed.Client(address, set_as_default=False)  # type: ignore[no-untyped-call]
    with client:
        yield client


@contextmanager
def inside(workers: int, threads: int, protocol: str = "tcp") -> Iterator[Any]:
    """A cluster in this process, for what two real workers are not needed for."""
    security = distributed.Security()  # type: ignore[no-untyped-call]
    local: Any = distributed.LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=workers, threads_per_worker=threads, processes=False, protocol=protocol, dashboard_address=None,
        security=security,
    )  # fmt: skip
    with local:
        yield local


def _tasks(address: str) -> int:
    """How many items the scheduler still holds."""
    with asked(address) as client:
        held: int = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
    return held


@pytest.mark.slow
def test_taught_weeks_are_the_same_files_though_a_worker_is_killed(cluster: str, tmp_path: Path) -> None:
    plan = Plan(SEED, 4, actor=SHIPPED, shard=1)
    here, there = tmp_path / "here", tmp_path / "there"
    told: list[str] = []

    def kill_one(label: str, _: int) -> None:
        told.append(label)
        if told.count("taught") == 1:
            with asked(cluster) as client:
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    with ThreadPoolExecutor(1) as beside:
        made = beside.submit(make_dataset, plan, here, workers=1)
        make_dataset(plan, there, cluster=cluster, on_weeks=kill_one)
        made.result()
    assert told == ["kept", *["taught"] * 4]
    files = {path.name: path.read_bytes() for path in here.iterdir()}
    assert len(files) == 5
    assert {path.name: path.read_bytes() for path in there.iterdir()} == files

    lost = there / f"weeks-{SEED + 2}.npz"
    lost.unlink()
    written = {path: path.stat().st_mtime_ns for path in there.glob("*.npz")}
    make_dataset(plan, there, cluster=cluster)
    assert lost.read_bytes() == files[lost.name]
    assert all(path.stat().st_mtime_ns == at for path, at in written.items())
    make_dataset(plan, there, cluster=NOBODY)  # nothing is missing, so nobody is asked


def test_an_item_is_tried_again_where_its_worker_is_killed(cluster: str, tmp_path: Path) -> None:
    mark = tmp_path / "stuck-1"

    def kill() -> None:
        while not mark.exists():
            time.sleep(0.02)
        os.kill(int(mark.read_text()), signal.SIGKILL)

    killing = threading.Thread(target=kill)
    killing.start()
    with opened(None, cluster, 4) as crew:
        found = dict(crew.finished(items.stuck_once, {n: (str(tmp_path), n) for n in (1,)}))
    killing.join()
    assert found == {1: 2}


def test_an_item_that_ends_every_worker_ends_the_run(cluster: str) -> None:
    with pytest.raises(WorkerLostError, match="ended every worker"), opened(None, cluster, 1) as crew:
        list(crew.finished(items.ended, {0: (3,)}))


@pytest.mark.slow
def test_lives_and_living_are_the_same(cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RHYTHM_CLUSTER", cluster)
    teach = ["student", "teach", "--lives", "16", "--weeks", "1", "--shard", "8", "--first-seed", str(SEED)]
    with pytest.raises(SystemExit, match="0"):
        main([*teach, "--student", str(DEVICE_WEIGHTS), "--data", str(tmp_path / "there")])
    make_lives(LivesPlan(SEED, 16, weeks=1, shard=8, student=DEVICE_WEIGHTS), tmp_path / "here")
    files = {path.name: path.read_bytes() for path in (tmp_path / "here").iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "there").iterdir()} == files

    monkeypatch.setattr(living_run, "REFERENCES", ("silent", "random"))
    folder = tmp_path / "living"
    played = living_run.run(["silent"], folder, people=9, weeks=1, on_progress=lambda *_: None, cluster=cluster)
    assert len(list(folder.iterdir())) == 4
    for name, parts in played.items():
        for part, (first, count) in zip(
            parts, ((living_run.FIRST_SEED, 8), (living_run.FIRST_SEED + 8, 1)), strict=True
        ):
            again = living_run.play_part(name, first, count, 1, part.digest)
            assert msgspec.structs.replace(again, seconds=part.seconds, timings_ms=part.timings_ms) == part


def test_a_language_model_stays_on_this_machine(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="lm stays on this machine"):
        run.run(["lm"], tmp_path, people=2, weeks=1, on_progress=lambda *_: None, cluster=NOBODY)


def test_an_items_error_is_raised_as_it_is_and_nothing_waits_after_it(cluster: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="item 0 is refused"), opened(None, cluster, 40) as crew:
        list(crew.finished(items.refused, {n: (n,) for n in range(40)}))
    with pytest.raises(ItemError, match="UnknownNameError: unknown item 7"), opened(None, cluster, 1) as crew:
        list(crew.finished(items.unsendable, {7: (7,)}))

    def stopped() -> None:
        with opened(None, cluster, 40) as crew:
            for _ in crew.finished(items.marked, {n: (str(tmp_path), n, 0.3) for n in range(40)}):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    ends = time.monotonic() + 5.0
    while _tasks(cluster):
        assert time.monotonic() < ends, "items wait that nobody wants"
        time.sleep(0.1)
    assert len(list(tmp_path.iterdir())) < 10


def test_a_worker_with_other_code_may_do_nothing(cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {**code_here(), "rhythm": "0.0.1"}
    with asked(cluster) as client:
        late = spread_cluster._Checked(client.get_executor(pure=False), ours)
        with pytest.raises(OtherCodeError, match=r"rhythm \S+ \(here 0\.0\.1\)"):
            late.submit(items.doubled, 1).result(30)
    monkeypatch.setattr(spread_cluster, "code_here", lambda: ours)
    with (
        pytest.raises(OtherCodeError, match=r"the worker at tcp://127\.0\.0\.1:\d+ has rhythm"),
        opened(None, cluster, 1),
    ):
        pass


@pytest.mark.parametrize("address", ["localhost:8786", "tcp://localhost", "tcp://h:99999", "http://h:1", "tcp://a b:1"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(InvalidValueError, match="is no address of a Dask scheduler"), opened(None, address, 1):
        pass


@pytest.mark.usefixtures("impatient")
def test_where_nobody_answers_it_says_what_to_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["distill", "teach", "--weeks", "1", "--data", str(tmp_path / "data"), "--cluster", NOBODY])
    assert f"rhythm: no scheduler answers at {NOBODY} within 1 s" in capsys.readouterr().err
    with pytest.raises(NoSchedulerError, match="a tls:// address needs certificates"), opened(None, "tls://h:1", 1):
        pass


def test_without_the_extra_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingClusterError, match=r"pip install 'rhythm\[cluster\]'"), opened(None, NOBODY, 1):
        pass


@pytest.mark.usefixtures("impatient")
def test_no_worker_or_one_of_many_threads_is_refused() -> None:
    with inside(0, 2) as local:
        with (
            pytest.raises(NoWorkersError, match=r"start some, .*: dask worker tcp"),
            opened(None, local.scheduler_address, 1),
        ):
            pass
        local.scale(1)
        with pytest.raises(OtherCodeError, match="does 2 items at once"), opened(None, local.scheduler_address, 1):
            pass


def test_a_scheduler_that_goes_away_is_said(tmp_path: Path) -> None:
    with inside(1, 1) as local:

        def run_on() -> None:
            with opened(None, local.scheduler_address, 40) as crew:
                for _ in crew.finished(items.marked, {n: (str(tmp_path), n, 0.1) for n in range(40)}):
                    local.close()

        with pytest.raises(NoSchedulerError, match="went away; what was done is kept"):
            run_on()


@pytest.fixture
def certificate(tmp_path: Path) -> Iterator[Path]:
    """A certificate that signs itself, for everybody."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "cluster")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (tmp_path / "cert.pem").write_bytes(made.public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (tmp_path / "key.pem").write_bytes(private)
    held = {"cert": str(tmp_path / "cert.pem"), "key": str(tmp_path / "key.pem")}
    tls = {f"distributed.comm.tls.{who}": held for who in ("scheduler", "worker", "client")}
    with dask.config.set({**tls, "distributed.comm.tls.ca-file": held["cert"]}):
        yield Path(held["cert"])


def test_a_cluster_is_spoken_to_in_tls(certificate: Path) -> None:
    with (
        inside(1, 1, "tls") as local,
        opened(None, local.scheduler_address, 3) as crew,
    ):  # fmt: skip
        assert local.scheduler_address.startswith("tls://")
        assert dict(crew.finished(items.doubled, {n: (n,) for n in range(3)})) == {0: 0, 1: 2, 2: 4}
    certificate.write_text("damaged")
    with pytest.raises(NoSchedulerError, match="certificates for TLS cannot be read"), opened(None, "tls://h:1", 1):
        pass


def test_weights_that_are_sent_are_the_files() -> None:
    from rhythm.distill.sent_weights import packed, unpacked  # noqa: PLC0415

    with unpacked(packed(SHIPPED)) as path:
        assert np.array_equal(np.frombuffer(path.read_bytes(), np.uint8), np.frombuffer(SHIPPED.read_bytes(), np.uint8))
        assert path.with_suffix(".json").read_bytes() == SHIPPED.with_suffix(".json").read_bytes()
    assert not path.exists()
