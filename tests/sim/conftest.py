"""Property tests may meet a kernel that is compiled first, so no test has a deadline."""

from hypothesis import settings

settings.register_profile("rhythm", deadline=None)
settings.load_profile("rhythm")
