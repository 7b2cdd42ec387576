"""One whole export of each vendor, as bytes, for tests that hold for all of them."""

from bridge.wearables import fit_writing as fw
from bridge.wearables import (
    test_auto_export,
    test_fitbit,
    test_garmin_account,
    test_garmin_fit,
    test_oura,
    test_plain,
    test_whoop,
)
from bridge.wearables.exporting import encoded, zip_bytes

EXAMPLES: dict[str, bytes] = {
    "whoop": zip_bytes(test_whoop.ALL),
    "garmin_fit": zip_bytes(test_garmin_fit.DAY),
    "garmin_account": zip_bytes(test_garmin_account.WHOLE),
    "oura": encoded(test_oura.EXPORT),
    "fitbit": zip_bytes(test_fitbit.OLDER),
    "auto_export": test_auto_export.WHOLE,
    "plain": test_plain.LONG.encode(),
}
"""By source name."""

BARE: dict[str, tuple[str, bytes]] = {
    "whoop": ("sleeps.csv", (test_whoop.SLEEPS + test_whoop.SLEEP).encode()),
    "garmin_fit": ("day.fit", fw.fit(*test_garmin_fit.WELLNESS, *test_garmin_fit.SLEEP)),
    "garmin_account": ("2026_sleepData.json", encoded([test_garmin_account.sleep()])),
    "oura": ("oura.json", encoded(test_oura.EXPORT)),
    "fitbit": ("sleep-2026-03-01.json", encoded([test_fitbit.log()])),
    "auto_export": ("export.json", test_auto_export.WHOLE),
    "plain": ("readings.csv", test_plain.LONG.encode()),
}
"""A single unzipped file of each: its name and bytes, which damage reaches without a zip around it."""
