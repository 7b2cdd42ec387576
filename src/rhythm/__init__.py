"""Rhythm learns who a person is without asking, and helps them live by it.

Nothing heavy is imported here: every part is imported by name where it is used,
so that ``import rhythm`` stays light.
"""

__version__ = "0.1.0"
