"""Oura's own interface, version 2: the same documents as in the account export, read by the same readers.

``end_date`` is not included by some of its lists, so the day behind the last is asked for; what comes twice has one
key. Heart rate is asked for by instants, at most thirty days at once. Fields: https://cloud.ouraring.com/v2/docs;
never run against Oura itself.
"""

from datetime import date, tzinfo
from typing import Any

from rhythm.bridge.accounts.credentials import Login
from rhythm.bridge.accounts.face import Carry, Page, Request, day_after, items_of, text_at
from rhythm.bridge.wearables.exports.collecting import Collector
from rhythm.bridge.wearables.exports.documents import Fields
from rhythm.bridge.wearables.oura import read_document

_LISTS = {
    "sleep": "sleep",
    "activity": "daily_activity",
    "oxygen": "daily_spo2",
    "session": "session",
    "workout": "workout",
    "heart_rate": "heartrate",
}


class OuraAccount:
    """Oura with the person's own app."""

    name = "oura"
    title = "Oura"
    source = "oura"
    base_url = "https://api.ouraring.com"
    kinds = tuple(_LISTS)
    chunk_days = 29
    login = Login(
        "https://api.ouraring.com/oauth/token",
        "https://cloud.ouraring.com/oauth/authorize",
        ("daily", "heartrate", "workout", "session", "spo2"),
        advice="make an app of your own at https://cloud.ouraring.com/oauth/applications",
    )

    def request(self, kind: str, first: date, last: date, after: str) -> Request:
        """A page of one list."""
        behind = day_after(last)
        days = (
            (("start_datetime", f"{first.isoformat()}T00:00:00Z"), ("end_datetime", f"{behind}T00:00:00Z"))
            if kind == "heart_rate"
            else (("start_date", first.isoformat()), ("end_date", behind))
        )
        return Request(f"/v2/usercollection/{_LISTS[kind]}", (*days, ("next_token", after)) if after else days)

    def page(self, kind: str, answer: Any) -> Page:
        """The documents, and the next token."""
        return Page(items_of(answer, "data"), text_at(answer, "next_token"))

    def take(self, kind: str, fields: Fields, out: Collector, zone: tzinfo, carry: Carry) -> None:
        """One document."""
        read_document(kind, fields, out, zone)
