"""Runs everything that OpenEnv's ``openenv validate`` checks on the package, and keeps a report.

``python -m rhythm.sim.openenv.validation envs/rhythm_env --report docs/reports/openenv-validation.json``

Three runs: the package as it lies (as ``openenv validate`` grades it on a machine without
Docker), a running server by its URL, and the runtime graders on a server process of this
machine. For the last the manifest of a copy declares how it is executed; the package itself
does not, since OpenEnv fails an execution that it cannot build an image for. Network policy
and resource limits are not enforced by a plain process, and their checks say so.
"""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from rhythm.life.constants import LIFE_VERSION
from rhythm.life.grade_v2 import GRADER_V2
from rhythm.sim.errors import needs_extra
from rhythm.sim.openenv.environment import ENVIRONMENT_NAME
from rhythm.sim.openenv.local_server import ServerProcess, ServerStartError, serving

with needs_extra("openenv", "openenv"):
    from openenv.cli._validation import validate_running_environment
    from openenv.validation import ExecResult, Level, ProviderCapability, run_validation
    from openenv.validation.providers import StartupError, UnsupportedCapability

SCHEMA: Final = "rhythm.openenv_validation/1"

EXECUTION: Final = """
  execution:
    kind: openenv_ws
    probe_path: validation/runtime.json
    dockerfile: server/Dockerfile
    context: .
"""


class _Running:
    """OpenEnv's view of a running subject: a server process."""

    def __init__(self, server: ServerProcess) -> None:
        self._server = server
        self.base_url = server.base_url

    def inspect(self) -> dict[str, Any]:
        return {"provider": LocalProvider.name}

    def logs(self, max_bytes: int = 65536) -> str:
        return ""

    def exec(self, argv: list[str], timeout_s: float) -> ExecResult:
        raise UnsupportedCapability("a plain process gives no shell inside")

    def stop(self) -> None:
        self._server.stop()


class LocalProvider:
    """OpenEnv's validation provider without Docker: the image is the folder, the sandbox a process."""

    name = "local-process"
    capabilities = frozenset({ProviderCapability.IMAGE_BUILD})
    supported_network_modes = frozenset({"public"})

    def __init__(self) -> None:
        self._root = Path()

    def build(self, root: Path, execution: Any) -> str:
        """A digest of the folder's files, in place of an image's."""
        self._root = root
        digest = hashlib.sha256()
        for path in sorted(root.rglob("*")):
            if path.is_file():
                digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
        return "sha256:" + digest.hexdigest()

    def start(self, spec: Any) -> _Running:
        """Start the server; the asked limits of memory and disk are not enforced."""
        try:
            return _Running(ServerProcess(self._root))
        except ServerStartError as error:
            raise StartupError(str(error)) from error


def validate(package: Path) -> dict[str, Any]:
    """Everything that can be validated here.

    Args:
        package: the package's folder.

    Returns:
        ``schema``, ``config`` and ``rows``; a row has ``name`` (check), ``value``
        (``pass``, ``fail``, ``skip``, ``error``) and ``evidence``. Holds no path of the machine.
    """
    rows = [
        *_graded("package", run_validation(package, max_level=Level.STATIC)),
        *_graded("package-default", run_validation(package)),
    ]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / package.name
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
        manifest = copy / "openenv.yaml"
        manifest.write_text(manifest.read_text("utf-8").rstrip() + EXECUTION, "utf-8")
        rows += _graded("process", run_validation(copy, provider=LocalProvider()))
    for mode in ("simulation", "production"):
        with serving(package, {"OPENENV_MODE": mode}) as url:
            found = validate_running_environment(url)
        rows.append({"name": f"url-{mode}/verdict", "value": "pass" if found["passed"] else "fail", "evidence": []})
        rows += [
            {
                "name": f"url-{mode}/{check['id']}",
                "value": "pass" if check["passed"] else "fail",
                "evidence": [check["description"]],
            }
            for check in found["criteria"]
        ]
    versions = {"openenv": version("openenv"), "life": LIFE_VERSION, "grader": GRADER_V2}
    return {"schema": SCHEMA, "config": {"package": ENVIRONMENT_NAME, "versions": versions}, "rows": rows}


def failures(report: dict[str, Any]) -> list[str]:
    """Names of the rows that failed or could not be run."""
    return [row["name"] for row in report["rows"] if row["value"] in ("fail", "error")]


def _graded(run: str, report: Any) -> list[dict[str, Any]]:
    verdict = {"name": f"{run}/verdict", "value": report.verdict.value, "evidence": []}
    return [
        verdict,
        *(
            {"name": f"{run}/{result.check_id}", "value": result.status.value, "evidence": list(result.evidence)}
            for result in report.results
        ),
    ]


def main() -> int:
    """Validate, print one line a check, and keep the report."""
    parser = argparse.ArgumentParser(description="Validate the OpenEnv package.")
    parser.add_argument("package", type=Path)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    report = validate(options.package)
    for row in report["rows"]:
        sys.stdout.write(f"{row['value']:<5} {row['name']}\n")
    if options.report:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        options.report.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return 1 if failures(report) else 0


if __name__ == "__main__":
    sys.exit(main())
