"""``python -m rhythm``: the same as the command ``rhythm``."""

from rhythm.cli.main import main

main()
