"""The same days as five vendors write them, each with its quirks: grids, clocks, units, counts, files."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bridge.wearables import fit_writing as fw
from bridge.wearables.exporting import Content, zipped
from bridge.wearables.simulated import BERLIN, Day, Night, local
from rhythm.bridge.wearables.apple_writer import write_export
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal

_APPLE = {"light": Signal.SLEEP_CORE_MIN, "deep": Signal.SLEEP_DEEP_MIN, "rem": Signal.SLEEP_REM_MIN,
          "awake": Signal.SLEEP_AWAKE_MIN}  # fmt: skip
_OURA = {"deep": "1", "light": "2", "rem": "3", "awake": "4"}
_FITBIT = {"light": "light", "deep": "deep", "rem": "rem", "awake": "wake"}
SDNN_OVER_RMSSD = 1.3


def whoop(path: Path, days: Sequence[Day]) -> Path:
    """Totals in whole minutes, the wall clock with the offset beside it, newest first, the newest without an end."""
    head = (
        "Cycle start time,Cycle end time,Cycle timezone,Recovery score %,Resting heart rate (bpm),"
        "Heart rate variability (ms),Day Strain,Sleep onset,Wake onset,Asleep duration (min),"
        "Deep (SWS) duration (min),REM duration (min),Awake duration (min)\n"
    )
    rows = []
    for i, day in enumerate(days):
        night = day.night
        offset = local(night.asleep_at).utcoffset()
        assert offset is not None
        start, end = (f"{(at + offset).replace(tzinfo=None)}" for at in (night.asleep_at, night.awake_at))
        closes = "" if i == len(days) - 1 else f"{(days[i + 1].night.asleep_at + offset).replace(tzinfo=None)}"
        rows.append(
            f"{start},{closes},UTC+0{int(offset.total_seconds() // 3600)}:00,60,{night.resting:.0f},{night.rmssd:.1f},"
            f"11.2,{start},{end},{night.minutes('light', 'deep', 'rem')},{night.minutes('deep')},"
            f"{night.minutes('rem')},{night.minutes('awake')}\n"
        )
    return zipped(path, {"physiological_cycles.csv": head + "".join(reversed(rows)), "journal_entries.csv": "a,b\n"})


def oura(path: Path, days: Sequence[Day]) -> Path:
    """Stages on a grid of five minutes, whole numbers, null among items, a day's steps from four in the morning."""
    sleeps: list[object] = [None]
    activity: list[object] = []
    for day in days:
        night = day.night
        minutes = [code for name, lasts in night.stages for code in _OURA[name] * lasts]
        sleeps.append({
            "id": f"s{day.day}", "type": "long_sleep", "day": str(day.day),
            "bedtime_start": local(night.asleep_at).isoformat(), "bedtime_end": local(night.awake_at).isoformat(),
            "average_hrv": round(night.rmssd), "lowest_heart_rate": round(night.resting),
            "total_sleep_duration": 60 * night.minutes("light", "deep", "rem"),
            "sleep_phase_5_min": "".join(minutes[i] for i in range(2, len(minutes), 5)),
        })  # fmt: skip
        four = datetime(day.day.year, day.day.month, day.day.day, 4, tzinfo=BERLIN)
        activity.append(
            {"day": str(day.day), "steps": day.steps, "active_calories": 400, "timestamp": four.isoformat()}
        )
    return zipped(path, {"App Data/sleep.json": sleeps, "App Data/daily_activity.json": activity})


def garmin(path: Path, days: Sequence[Day]) -> Path:
    """FIT: stages by their beginnings, steps as counts since midnight, stress with its sentinels, rows twice."""
    files: dict[str, Content] = {}
    for day in days:
        night = day.night
        midnight = datetime(day.day.year, day.day.month, day.day.day, tzinfo=BERLIN).astimezone(UTC)
        offset = local(midnight).utcoffset()
        assert offset is not None
        told = [fw.file_id(), fw.info(midnight, int(offset.total_seconds() // 60)), fw.steps(midnight, 0)]
        count = 0
        for at, steps in day.walks:
            told.append(fw.steps(at, count))
            count += steps
            told += [fw.steps(at + timedelta(minutes=10), count)] * 2
        told += [fw.stress(midnight + timedelta(hours=9, minutes=3 * i), round(100 * day.stress)) for i in range(100)]
        told += [fw.stress(midnight + timedelta(hours=15), -1), fw.stress(midnight + timedelta(hours=16), -2)]
        told.append(fw.resting(night.awake_at, round(night.resting)))
        levels, at = [fw.file_id(49)], night.asleep_at
        for name, lasts in night.stages:
            levels.append(fw.level(at, name))
            at += timedelta(minutes=lasts)
        beats = [fw.hrv_value(night.asleep_at + timedelta(minutes=5 * i), night.rmssd + i % 2) for i in range(41)]
        files |= {
            f"{day.day}_WELLNESS.fit": fw.fit(*told), f"{day.day}_SLEEP_DATA.fit": fw.fit(*levels, fw.stop(at)),
            f"{day.day}_HRV_STATUS.fit": fw.fit(fw.file_id(68), *beats, fw.hrv_night(at, 1.0)),
        }  # fmt: skip
    return zipped(path, files)


def fitbit(path: Path, days: Sequence[Day]) -> Path:
    """Local sleep with short wakes laid over it and a summary told twice, UTC steps, American dates, calm as stress."""
    folder = "Takeout/Fitbit/Global Export Data"
    logs: list[object] = []
    steps: list[object] = []
    resting: list[object] = []
    rmssd, stress = "timestamp,rmssd,nremhr,entropy\n", "DATE,STRESS_SCORE,STATUS\n"
    for day in days:
        logs.append(_fitbit_log(day.night, day))
        for at, count in day.walks:
            steps += [{"dateTime": f"{at + timedelta(minutes=m):%m/%d/%y %H:%M:%S}",
                       "value": str(count // 10 + (count % 10 if m == 0 else 0))} for m in range(10)]  # fmt: skip
        value = {"date": f"{day.day:%m/%d/%y}", "value": day.night.resting, "error": 6.8}
        resting.append({"dateTime": f"{day.day:%m/%d/%y} 00:00:00", "value": value})
        rmssd += f"{day.day}T00:00:00,{day.night.rmssd:.3f},52.1,2.9\n"
        stress += f"{day.day}T00:00:00,{round(100 * (1 - day.stress))},READY\n"
    resting.append({"dateTime": "04/20/26 00:00:00", "value": {"date": None, "value": 0.0, "error": 0.0}})
    return zipped(path, {
        f"{folder}/sleep-2026-03-01.json": logs, f"{folder}/sleep-2026-03-31.json": logs[-3:],
        f"{folder}/steps-2026-03-01.json": steps, f"{folder}/resting_heart_rate-2026-01-01.json": resting,
        "Takeout/Fitbit/Heart Rate Variability/Daily Heart Rate Variability Summary - 2026-03.csv": rmssd,
        "Takeout/Fitbit/Stress Score/Stress Score.csv": stress,
        "Takeout/Calendar/work.ics": "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
    })  # fmt: skip


def _fitbit_log(night: Night, day: Day) -> dict[str, object]:
    """Wakes within three minutes stand in shortData, over the stage before them, which is told as if it went on."""
    start = local(night.asleep_at).replace(tzinfo=None)
    levels: list[dict[str, object]] = []
    short: list[dict[str, object]] = []
    at, seconds = start, 0
    for name, lasts in night.stages:
        clock = f"{at.isoformat()}.000"
        if name == "awake" and lasts <= 3 and levels:
            short.append({"dateTime": clock, "level": "wake", "seconds": 60 * lasts})
            levels[-1]["seconds"] = int(str(levels[-1]["seconds"])) + 60 * lasts
        else:
            levels.append({"dateTime": clock, "level": _FITBIT[name], "seconds": 60 * lasts})
        at += timedelta(minutes=lasts)
        seconds += 60 * lasts
    summary = {
        name: {"count": 9, "minutes": 500, "thirtyDayAvgMinutes": 480} for name in ("deep", "light", "rem", "wake")
    }
    return {
        "logId": day.day.toordinal(), "dateOfSleep": str(day.day), "startTime": f"{start.isoformat()}.000",
        "duration": 1000 * seconds, "minutesAsleep": night.minutes("light", "deep", "rem"), "type": "stages",
        "mainSleep": True, "levels": {"summary": summary, "data": levels, "shortData": short},
    }  # fmt: skip


def apple(path: Path, days: Sequence[Day]) -> Path:
    """SDNN, a watch and a phone that both count, all dates in the phone's zone at export, a DTD that is no DTD."""
    records = [record for day in days for record in _apple_day(day)]
    write_export(path, records, exported_at=days[-1].night.awake_at + timedelta(days=1), home=BERLIN)
    return path


def _apple_day(day: Day) -> list[Record]:
    night, at = day.night, day.night.asleep_at
    found = []
    for name, lasts in night.stages:
        found.append(_record(_APPLE[name], lasts, at, lasts))
        at += timedelta(minutes=lasts)
    sdnn = night.rmssd * SDNN_OVER_RMSSD
    found += [_record(Signal.HRV_SDNN_MS, sdnn, night.asleep_at + timedelta(hours=h), 1) for h in (1, 2, 3)]
    found.append(_record(Signal.RESTING_HR_BPM, night.resting, night.awake_at, 1))
    for start, count in day.walks:
        found.append(_record(Signal.STEPS_COUNT, count, start, 10))
        found.append(_record(Signal.STEPS_COUNT, round(0.93 * count), start + timedelta(minutes=1), 8, "Phone"))
    return found


def _record(signal: Signal, value: float, at: datetime, lasts_min: int, device: str = "Watch") -> Record:
    offset = local(at).utcoffset()
    assert offset is not None
    offset_min = int(offset.total_seconds() // 60)
    return Record(signal, value, at, at + timedelta(minutes=lasts_min), offset_min, f"apple_health/{device}")


WRITERS: dict[str, Callable[[Path, Sequence[Day]], Path]] = {
    "apple_health": apple, "whoop": whoop, "oura": oura, "garmin_fit": garmin, "fitbit": fitbit,
}  # fmt: skip
"""How each vendor writes the days to a zip, by source name."""
