"""Local peers that behave as the vendors' documents say: tokens that end, pages, limits, quirks; over real HTTP."""

# ruff: noqa: E501 (records stand as vendors write them)

import base64
import json
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TODAY = date(2026, 3, 31)
REFRESH, CLIENT, CLIENT_SECRET, KEY = "first-refresh", "my-app", "my-secret", "my-key"

Query = dict[str, str]
Answer = tuple[int, Any]


class Peer:
    """One vendor's server.

    Attributes:
        url: its base address.
        asked: paths that were asked for, in order.
        refresh: the refresh token that is taken now; WHOOP's changes each time.
        trouble: statuses to answer with before the next true answers, each with its Retry-After.
        token_uses: how many answers an access token opens.
    """

    def __init__(self, data: Callable[[str, Query], Answer], token_path: str, *, rotates: bool = False) -> None:
        self.url = ""
        self.asked: list[str] = []
        self.refresh = REFRESH
        self.trouble: list[tuple[int, str]] = []
        self.token_uses = 40
        self.access = ""
        self.given = 0
        self._data = data
        self._token_path = token_path
        self._rotates = rotates
        self._left = 0

    def answer(self, path: str, query: Query, form: Query, authorization: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body."""
        if path == self._token_path:
            return self._token(form, authorization)
        self.asked.append(path)
        if self.trouble:
            status, wait = self.trouble.pop(0)
            return status, {"Retry-After": wait} if wait else {}, b"busy"
        if authorization != f"Bearer {self.access}" or self._left <= 0:
            return 401, {}, b'{"error": "token ended"}'
        self._left -= 1
        status, body = self._data(path, query)
        return status, {}, b"" if body is None else json.dumps(body).encode()

    def _token(self, form: Query, authorization: str) -> tuple[int, dict[str, str], bytes]:
        self.given += 1
        if authorization.startswith("ApiKey "):
            if authorization != f"ApiKey {KEY}":
                return 401, {}, b""
            ends = datetime.now(UTC).timestamp() + 86_400
            claims = base64.urlsafe_b64encode(json.dumps({"exp": ends, "n": self.given}).encode()).decode().rstrip("=")
            self.access, self._left = f"h.{claims}.s", self.token_uses
            return 200, {}, f'"{self.access}"'.encode()
        by_code = form.get("grant_type") == "authorization_code" and form.get("code") == "agreed"
        by_refresh = form.get("grant_type") == "refresh_token" and form.get("refresh_token") == self.refresh
        if form.get("client_secret") != CLIENT_SECRET or not (by_code or by_refresh):
            return 400, {}, b'{"error": "invalid_grant"}'
        self.access, self._left = f"access-{self.given}", self.token_uses
        answer: dict[str, Any] = {"access_token": self.access, "expires_in": 3600, "token_type": "bearer"}
        if self._rotates:
            self.refresh = f"refresh-{self.given}"
        if by_code or (self._rotates and form.get("scope") == "offline"):
            answer["refresh_token"] = self.refresh
        return 200, {}, json.dumps(answer).encode()


@contextmanager
def serving(peer: Peer) -> Iterator[Peer]:
    """The peer on a free port of this machine while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # one write for head and body: two of them wait for each other

        def do_GET(self) -> None:
            self._reply({})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
            self._reply({name: values[0] for name, values in parse_qs(body).items()})

        def _reply(self, form: Query) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            status, headers, body = peer.answer(parts.path, query, form, self.headers.get("Authorization", ""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    peer.url = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield peer
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def paged(items: list[Any], size: int, after: str) -> tuple[list[Any], str]:
    """A page of items, and the token of the next one."""
    begin = int(after or 0)
    return items[begin : begin + size], str(begin + size) if begin + size < len(items) else ""


def nights(first: date, last: date) -> Iterator[tuple[date, datetime, datetime, random.Random]]:
    """Each day's night: falling asleep and waking in UTC, and a source of numbers that belong to it alone."""
    day = first
    while day <= last:
        draw = random.Random(day.toordinal())
        awake_at = datetime(day.year, day.month, day.day, 5, draw.randrange(60), tzinfo=UTC)
        yield day, awake_at - timedelta(minutes=draw.randrange(380, 520)), awake_at, draw
        day += timedelta(days=1)


def days_between(first: str, last: str) -> tuple[date, date]:
    """Two days as a vendor's query has them."""
    return date.fromisoformat(first[:10]), date.fromisoformat(last[:10])


def z(at: datetime) -> str:
    """An instant as vendors write it."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def whoop(begin: date, end: date = TODAY) -> Peer:
    """WHOOP: pages of at most 25, pending and unscorable items, a nap on Sundays, a sleep that is still going on."""

    def data(path: str, query: Query) -> Answer:
        if int(query["limit"]) > 25:
            return 400, {"error": "limit"}
        first, last = days_between(query["start"], query["end"])
        found: list[Any] = []
        for day, asleep_at, awake_at, draw in nights(max(first, begin), min(last, end)):
            score = {
                "stage_summary": {
                    "total_light_sleep_time_milli": 12_000_000, "total_slow_wave_sleep_time_milli": 5_400_000,
                    "total_rem_sleep_time_milli": 6_000_000, "total_awake_time_milli": 600_000,
                },
                "respiratory_rate": 14.5,
            }  # fmt: skip
            state = "PENDING_SCORE" if day == end else "UNSCORABLE" if day.day == 13 else "SCORED"
            sleep = {
                "id": f"s-{day}", "start": z(asleep_at), "end": z(awake_at), "timezone_offset": "+02:00", "nap": False,
                "score_state": state, **({"score": score} if state == "SCORED" else {}),
            }  # fmt: skip
            recovery = {
                "sleep_id": f"s-{day}", "score_state": state,
                "score": {"hrv_rmssd_milli": 40.0 + draw.random() * 30, "resting_heart_rate": 55, "user_calibrating": False,
                          "spo2_percentage": 96.5, "skin_temp_celsius": None},
            }  # fmt: skip
            if path.endswith("/sleep"):
                found.append(sleep)
                if day.weekday() == 6:
                    nap_at = awake_at + timedelta(hours=8)
                    nap = {**sleep, "id": f"n-{day}", "start": z(nap_at), "end": z(nap_at + timedelta(minutes=40))}
                    found.append({**nap, "nap": True})
            elif path.endswith("/recovery") and day.day != 20:
                found.append(recovery)
        items, after = paged(found, 25, query.get("nextToken", ""))
        return 200, {"records": items, "next_token": after or None}

    return Peer(data, "/oauth/oauth2/token", rotates=True)


def oura(begin: date, end: date = TODAY) -> Peer:
    """Oura: an end that is not included, null items, rejected rest, heart rate refused above thirty days."""

    def data(path: str, query: Query) -> Answer:
        kind = path.rpartition("/")[2]
        if kind == "heartrate":
            first, last = days_between(query["start_datetime"], query["end_datetime"])
            return (
                (400, {"detail": "too long"}) if (last - first).days > 30 else (200, {"data": [], "next_token": None})
            )
        first, last = days_between(query["start_date"], query["end_date"])
        found: list[Any] = []
        for day, asleep_at, awake_at, draw in nights(max(first, begin), min(last - timedelta(days=1), end)):
            if kind == "sleep":
                found.append({
                    "id": f"o-{day}", "type": "long_sleep", "day": str(day), "bedtime_start": z(asleep_at)[:-1] + "+00:00",
                    "bedtime_end": z(awake_at)[:-1] + "+00:00", "total_sleep_duration": 24_000, "deep_sleep_duration": 5000,
                    "rem_sleep_duration": 6000, "awake_time": 900, "average_hrv": 30 + draw.randrange(40),
                    "lowest_heart_rate": 50, "average_breath": 14.0,
                })  # fmt: skip
                found.append(None)
                found.append({"id": f"r-{day}", "type": "rest", "day": str(day), "bedtime_start": z(awake_at),
                              "bedtime_end": z(awake_at + timedelta(minutes=5)), "total_sleep_duration": 300})  # fmt: skip
            elif kind == "daily_activity":
                found.append({"day": str(day), "steps": draw.randrange(3000, 15000), "active_calories": 400})
        items, after = paged(found, 20, query.get("next_token", ""))
        return 200, {"data": items, "next_token": after or None}

    return Peer(data, "/oauth/token")


def garmin(begin: date, end: date = TODAY) -> Peer:
    """Garmin: 400 above 28 days, 204 where there is nothing, milliseconds for text, nulls, -1 for no stress."""

    def data(path: str, query: Query) -> Answer:  # noqa: PLR0911
        first, last = (
            days_between(query["startDate"], query["endDate"]) if query else days_between(*path.split("/")[-2:])
        )
        if (last - first).days >= 28:
            return 400, None
        kept = list(nights(max(first, begin), min(last, end)))
        if not kept:
            return 204, None
        if "dailySleepSummariesByDate" in path:
            return 200, [
                {"calendarDate": str(day), "sleepStartTimestampGMT": round(a.timestamp() * 1000),
                 "sleepEndTimestampGMT": round(w.timestamp() * 1000), "deepSleepSeconds": 5000, "lightSleepSeconds": 12000,
                 "remSleepSeconds": 6000, "awakeSleepSeconds": 600, "averageRespirationValue": 14.0,
                 "averageSpO2Value": None, "napList": None}
                if day.day != 9 else {"calendarDate": str(day), "sleepStartTimestampGMT": None}
                for day, a, w, _ in kept
            ]  # fmt: skip
        if "/hrv/" in path:
            summaries = [
                {"calendarDate": str(d), "lastNightAvg": 30 + r.randrange(40), "status": "BALANCED"}
                for d, _, _, r in kept
            ]
            return 200, {"hrvSummaries": [*summaries, None]}
        if "/steps/" in path:
            return 200, [{"calendarDate": str(d), "totalSteps": r.randrange(15000)} for d, _, _, r in kept]
        if "/stress/" in path:
            return 200, [
                {"calendarDate": str(d), "values": {"overallStressLevel": -1 if d.day == 7 else 31}} for d, *_ in kept
            ]
        return 200, {"data": [{"calendarDate": str(d), "heartRate": {"restingValue": 52}} for d, *_ in kept]}

    return Peer(data, "/personalapitoken-service/personal-api/personal-api-key/token")


def google(begin: date, end: date = TODAY) -> Peer:
    """Google Health: only reconciled points, filters with edges, numbers as texts, dates in parts."""

    def data(path: str, query: Query) -> Answer:
        if not path.endswith(":reconcile"):
            return 404, None
        kind = path.split("/")[-2]
        first, last = (date.fromisoformat(part.strip('"')[:10]) for part in query["filter"].split() if part[0] == '"')
        found: list[Any] = []
        for day, asleep_at, awake_at, draw in nights(max(first, begin), min(last - timedelta(days=1), end)):
            apart = {"year": day.year, "month": day.month, "day": day.day}
            middle_at = asleep_at + (awake_at - asleep_at) / 2
            if kind == "sleep":
                stages = [
                    {"type": "LIGHT", "startTime": z(asleep_at), "endTime": z(middle_at)},
                    {"type": "DEEP", "startTime": z(middle_at), "endTime": z(awake_at)},
                ]
                interval = {"startTime": z(asleep_at), "startUtcOffset": "7200s", "endTime": z(awake_at)}
                found.append({"sleep": {"interval": interval, "stages": stages, "summary": {"minutesAsleep": "430"}}})
            elif kind == "daily-heart-rate-variability":
                value = 30 + draw.random() * 30
                found.append(
                    {"dailyHeartRateVariability": {"date": apart, "averageHeartRateVariabilityMilliseconds": value}}
                )
            elif kind == "daily-resting-heart-rate":
                found.append({"dailyRestingHeartRate": {"date": apart, "beatsPerMinute": "57"}})
            else:
                interval = {
                    "startTime": z(awake_at),
                    "startUtcOffset": "7200s",
                    "endTime": z(awake_at + timedelta(hours=1)),
                }
                found.append({"steps": {"interval": interval, "count": str(draw.randrange(4000))}})
        items, after = paged(found, 25, query.get("pageToken", ""))
        return 200, {"dataPoints": items, **({"nextPageToken": after} if after else {})}

    return Peer(data, "/token")


PEERS: dict[str, Callable[[date], Peer]] = {"whoop": whoop, "oura": oura, "garmin": garmin, "google-health": google}
