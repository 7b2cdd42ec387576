"""Rehearsal: simulated people live weeks through the real assistant."""
