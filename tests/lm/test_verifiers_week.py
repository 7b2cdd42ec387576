"""PrimeIntellect's verifiers, in an environment of its own, plays a week of the OpenEnv server; the grade counts once.

``RHYTHM_VERIFIERS_PYTHON`` names that environment's interpreter (`rhythm.lm.verifiers_week` says how it is made).
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from lm.server import serving
from rhythm.bench.graders import grade_v2
from rhythm.bench.play import play
from rhythm.life.populations import Population, sample_people
from rhythm.lm import verifiers_week
from rhythm.lm.endpoint import Endpoint, Model
from rhythm.lm.player import ServedPolicy
from rhythm.sim.openenv import local_server

PYTHON = os.environ.get("RHYTHM_VERIFIERS_PYTHON", "")
PACKAGE = Path(__file__).parents[2] / "envs" / "rhythm_env"
SEED = 2_000_000

pytestmark = [
    pytest.mark.openenv,
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="RHYTHM_VERIFIERS_PYTHON names no interpreter with verifiers"),
]


def test_verifiers_plays_a_week_and_its_sum_of_rewards_is_the_grade() -> None:
    with local_server.serving(PACKAGE, {"RHYTHM_SECRET": "0"}) as url, serving() as (peer, books):
        books.text = "5 5 5 MEDITATE"
        command = [PYTHON, verifiers_week.__file__, "--environment", url, "--base-url", f"{peer}/v1"]
        paths = os.pathsep.join((str(Path(PYTHON).parent), os.environ["PATH"]))
        done = subprocess.run(  # noqa: S603 - the interpreter that the environment names
            [*command, "--model", "m", "--seeds", str(SEED)],
            env={**os.environ, "RHYTHM_LM_KEY": "k", "PATH": paths},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        week = json.loads(done.stdout)
        assert books.requests == week["turns"] == verifiers_week.TURNS
        keys = np.array([SEED])
        policy = ServedPolicy(Model(Endpoint(base_url=f"{peer}/v1", model="m")))
        own = play(policy, sample_people(keys, Population.CLASSIC), keys)
    assert week["reward"] == pytest.approx(grade_v2(own)["v2"][0], abs=1e-9)
