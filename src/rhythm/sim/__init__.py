"""The simulated person behind public faces: Gymnasium, a native vector form, OpenEnv.

Every face shows what a decider may see and keeps the hidden person behind it. The faces
need extras (``rhythm[sim]``, ``rhythm[openenv]``) and are imported by name; this package
loads none of them.
"""


def register() -> None:
    """Tell Gymnasium of ``rhythm/Week-v0``.

    Raises:
        MissingExtraError: Gymnasium is not installed.
    """
    from rhythm.sim import registration  # noqa: PLC0415 - Gymnasium is an extra

    registration.register()
