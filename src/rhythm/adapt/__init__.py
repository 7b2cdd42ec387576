"""The weekly personal adapter: a small correction of the frozen student, fitted to a person's own answers, gated."""
