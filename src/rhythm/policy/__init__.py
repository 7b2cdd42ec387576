"""Policies: what to do in a slot, from what was seen; one face, one registry."""
