"""Plays weeks through PrimeIntellect's `verifiers`: its own player of OpenEnv servers, with a model behind a server.

``verifiers`` 0.4.0 and ``openenv`` 0.10 want different versions of ``mcp``, so this runs in an environment of its
own and talks to a server that runs in another; it imports nothing of Rhythm::

    python -m venv vf && vf/bin/pip install 'verifiers==0.4.0' 'openenv==0.4.1' uv
    vf/bin/python src/rhythm/lm/verifiers_week.py --environment http://localhost:8000 \
        --base-url http://localhost:8001/v1 --model my-model --seeds 2000000 2000001

``verifiers`` adds up the rewards of an episode's steps. They are 0 until the step that ends the week and the
grade then, so the sum is the grade, once; a sum that is no grade is refused here.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

TURNS = 28
"""Of a week."""


def play(environment: str, base_url: str, model: str, seeds: Sequence[int], key_variable: str) -> list[dict[str, Any]]:
    """Weeks of an OpenEnv server, played by a model: for each its seed, its reward and how many turns it took.

    Args:
        environment: address of the OpenEnv server.
        base_url: of the server that has the model, up to the version.
        model: its name there.
        seeds: of the weeks.
        key_variable: environment variable that holds the model server's key, if it wants one.

    Raises:
        RuntimeError: an episode failed, or its reward is no grade.
    """
    clients, loaders = _part("clients"), _part("utils.loaders")
    env = loaders.load_environment(
        _part("tasksets.openenv").OpenEnvEnvConfig.model_validate(
            {
                "taskset": {
                    "id": "openenv",
                    "base_url": environment,
                    "resets": [{"seed": seed} for seed in seeds],
                },
                "player": {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}},
            }
        )
    )
    client = clients.EvalClientConfig(base_url=base_url, api_key_var=key_variable)
    sampling = _part("types").SamplingConfig(temperature=0.0)
    context = clients.ModelContext(client=client, model=model, sampling=sampling)

    async def run() -> list[Any]:
        async with env.serving():
            slots = [slot for task in env.taskset for slot in env.slots(task)]
            return list(await asyncio.gather(*(env.run_slot(slot, context) for slot in slots)))

    return [_told(seed, episode) for seed, episode in zip(seeds, asyncio.run(run()), strict=True)]


def _part(name: str) -> Any:
    """A module of verifiers, which is installed in an environment of its own."""
    return import_module(f"verifiers.v1.{name}")


def _told(seed: int, episode: Any) -> dict[str, Any]:
    if not episode.ok:
        problems = [*episode.errors, *(error for trace in episode.traces for error in trace.errors)]
        raise RuntimeError(f"the week of seed {seed} failed: {'; '.join(str(p.message)[:300] for p in problems)}")
    (trace,) = episode.traces
    if not 0.0 <= trace.reward <= 1.0:
        raise RuntimeError(f"the week of seed {seed} earned {trace.reward}; a grade is from 0 to 1 and counts once")
    return {"seed": seed, "reward": trace.reward, "turns": trace.num_turns}


def main() -> None:
    """Play weeks and print one JSON object for each."""
    parser = argparse.ArgumentParser(description="Plays weeks of an OpenEnv server through verifiers.")
    parser.add_argument("--environment", required=True, help="address of the OpenEnv server")
    parser.add_argument("--base-url", required=True, help="server that has the model, up to the version")
    parser.add_argument("--model", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", required=True)
    parser.add_argument("--key-variable", default="RHYTHM_LM_KEY")
    told = parser.parse_args()
    for week in play(told.environment, told.base_url, told.model, told.seeds, told.key_variable):
        sys.stdout.write(json.dumps(week) + "\n")


if __name__ == "__main__":
    main()
