"""Says in one sentence which extra is missing, before a library is imported."""

from importlib.util import find_spec

from rhythm.vocab import RhythmError


class MissingPackagesError(RhythmError, ImportError):
    """Packages of the extra ``lm`` are not installed."""


def need(*packages: str) -> None:
    """Check that packages can be imported.

    Raises:
        MissingPackagesError: some cannot.
    """
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise MissingPackagesError(
            f"{', '.join(missing)} not installed; language models need the extra: pip install 'rhythm[lm]'"
        )
