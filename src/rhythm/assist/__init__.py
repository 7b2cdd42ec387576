"""One person's service: today's suggestions, answers, what was learned, imports, trends and notices.

`Assistant` is the face of it. It works on one `rhythm.store.PersonStore` and knows nothing of pages.
"""

from rhythm.assist.service import Assistant

__all__ = ["Assistant"]
