"""Every pitfall of the vendors' formats and accounts that is known to us has a test that names it; the list is held."""

import ast
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent

PITFALLS: dict[str, dict[str, str]] = {
    "wearables/test_apple_damage.py": {
        "its DTD is malformed": "test_the_malformed_dtd_since_ios_16_is_skipped",
        "stray control characters": "test_a_vertical_tab_and_other_control_characters_cost_nothing",
    },
    "wearables/test_apple_source.py": {
        "gigabytes": "test_a_large_export_is_read_at_six_tenths_of_a_bare_parser_in_300_mb",
    },
    "wearables/test_apple_reading.py": {
        "units vary with the region": "test_units_of_any_region_give_the_same_values",
        "creation is not start": "test_start_and_end_count_and_creation_does_not",
        "dates in the zone at export": "test_a_travelling_night_has_the_offset_of_its_own_zone",
        "RMSSD since iOS 27": "test_rmssd_of_ios_27_is_another_signal_than_sdnn",
    },
    "wearables/test_records.py": {
        "percent as a fraction": "test_units",
        "instant and offset": "test_the_local_day_is_of_the_start_by_its_own_offset",
        "implausible values": "test_the_gates",
    },
    "wearables/test_auto_export.py": {
        "format change at 6.6.2": "test_the_format_change_at_6_6_2_both_forms_of_sleep_are_read",
        "times in bed absent": "test_times_in_bed_or_asleep_may_be_absent",
        "stages all zero": "test_stages_that_are_all_zero_beside_a_total_are_not_told",
        "values near 1e14": "test_values_near_1e14_are_set_aside",
        "no source": "test_without_a_source_two_devices_of_the_same_hour_are_not_summed",
        "Min Avg Max": "test_heart_rate_comes_as_min_avg_max",
    },
    "wearables/test_whoop.py": {
        "naive times": "test_times_are_naive_local_with_the_offset_in_a_column_of_its_own",
        "newest row without an end": "test_the_newest_cycle_has_no_end_and_costs_nothing",
        "cycles without recovery": "test_a_cycle_without_recovery_or_sleep_is_missing_not_zero",
        "headers drift": "test_headers_drift_in_order_case_and_marks",
        "journal keyed by evening": "test_the_journal_is_keyed_by_the_evening_so_nothing_is_filed_by_it",
        "nap flag": "test_a_nap_is_a_nap_and_gives_no_recovery",
        "no stage times": "test_there_are_no_stage_times_so_stages_are_totals",
        "rmssd already in ms": "test_rmssd_is_in_milliseconds_and_of_its_own_kind",
    },
    "wearables/test_garmin_fit.py": {
        "timestamp_16": "test_the_short_timestamp_rolls_over",
        "CRC errors": "test_checksum_errors_cost_nothing_that_can_be_read",
        "duplicate rows": "test_duplicate_rows_and_duplicate_files_count_once",
        "sentinel 65535": "test_the_sentinels_255_and_65535_are_not_values",
        "stress -1 and -2": "test_a_stress_of_minus_one_or_minus_two_is_no_stress",
        "unknown messages": "test_an_unknown_message_such_as_nap_event_is_ignored_not_fatal",
        "last wake": "test_the_last_time_awake_belongs_to_the_night_and_is_not_sleep",
    },
    "wearables/test_garmin_account.py": {
        "stress -1 and -2 of days": "test_a_stress_of_minus_one_or_minus_two_is_no_stress",
        "last wake of totals": "test_the_night_runs_to_the_last_waking_and_its_sleep_leaves_awake_out",
        "times as epoch ms": "test_times_that_are_milliseconds_instead_of_text_are_read",
        "null though documented": "test_fields_that_are_null_although_documented_otherwise_are_nothing",
        "totals of 23 and 25 hours": "test_a_day_of_23_or_25_hours_keeps_its_steps_to_itself",
    },
    "wearables/test_oura.py": {
        "nap inverted": "test_a_nap_is_not_taken_for_the_night_nor_the_night_for_a_nap",
        "RHR 92 of a nap": "test_the_first_session_is_a_nap_and_gives_no_resting_heart_rate_of_92",
        "RMSSD stored as SDNN": "test_the_hrv_is_rmssd_never_stored_as_sdnn",
        "rest and deleted": "test_rejected_and_deleted_sessions_are_not_sleep",
        "day is the wake day": "test_day_is_the_wake_day",
        "null items": "test_null_items_and_null_fields_are_nothing",
    },
    "wearables/test_fitbit.py": {
        "local sleep, UTC heart rate": "test_sleep_is_local_without_an_offset_while_heart_rate_is_utc",
        "US dates": "test_dates_are_american",
        "pounds": "test_weights_are_in_pounds",
        "classic and stages": "test_classic_and_stages_levels_are_both_read",
        "shortData absent": "test_short_data_may_be_absent_and_cuts_wakes_where_it_is_there",
        "duplicate summary": "test_the_summary_beside_the_levels_is_never_added",
        "km sent as m": "test_kilometres_are_not_metres",
        "several totals of a day": "test_the_same_steps_in_the_older_and_the_newer_form_are_not_doubled",
    },
    "wearables/test_health_connect_shapes.py": {
        "own zone offset": "test_each_record_keeps_its_own_zone_offset",
        "growing partial sessions": "test_a_night_that_arrives_as_growing_overlapping_partial_sessions_is_one_night",
        "same start day overwrites": "test_two_sessions_of_the_same_start_day_do_not_overwrite_each_other",
        "percent scale": "test_a_percentage_of_the_wrong_scale_is_set_aside",
    },
    "wearables/test_days.py": {
        "one sample once": "test_the_same_sample_counts_once",
        "one device tells twice": "test_a_day_that_one_source_tells_as_a_whole_and_in_hours_counts_once",
        "read again in another zone": "test_a_day_that_was_read_again_in_another_zone_counts_once",
        "steps by hour": "test_each_hour_takes_the_device_that_covered_it",
        "offsets that disagree": "test_devices_that_disagree_about_the_offset_told_of_the_same_hour",
        "HRV kinds mixed": "test_hrv_kinds_are_never_mixed",
        "23, 24 and 25 hours": "test_days_of_23_24_and_25_hours_have_all_their_steps",
        "missing is not zero": "test_missing_is_missing_not_zero",
    },
    "../store/test_readings.py": {
        "one insert with too many variables": "test_more_readings_at_once_than_a_statement_takes_values",
    },
    "../assist/test_vendor_files.py": {
        "import is idempotent": "test_an_export_is_read_once_by_its_own_reader_and_can_be_taken_out",
    },
    "wearables/test_nights.py": {
        "totals that grow": "test_totals_of_a_night_that_was_told_as_it_grew_or_was_corrected_count_once",
        "sleep by its wake day": "test_sleep_across_midnight_is_filed_under_the_day_of_waking",
        "sources never summed": "test_sources_are_chosen_from_never_summed",
        "in bed is not asleep": "test_in_bed_is_not_asleep",
        "core that holds REM": "test_core_that_holds_deep_and_rem_does_not_inflate_the_night",
        "main sleep is the longest": "test_the_longest_sleep_is_the_night_and_others_are_naps",
        "nights of 23 and 25 hours": "test_nights_of_a_change_of_the_clocks_have_their_true_length",
    },
    "wearables/test_two_vendors.py": {
        "steps doubled": "test_two_vendors_together_never_double_a_total",
    },
    "accounts/test_accounts.py": {
        "tokens end": "test_an_access_token_that_ends_is_renewed_and_kept_before_it_is_used",
        "429 and 503": "test_being_told_to_wait_is_waited_out_and_trouble_is_tried_again",
        "pending scores, ranges, pages of 25": "test_forty_days_give_the_signals_that_the_files_give",
        "recovery without its sleep": "test_a_recovery_at_the_edge_of_the_days_finds_its_sleep",
        "pages without an end": "test_pages_without_an_end_are_left",
        "a page's name that expired": "test_a_page_whose_name_has_expired_since_is_asked_for_from_the_first",
        "403 as a rate limit": "test_too_many_requests_by_a_403_are_waited_out",
    },
    "accounts/test_google_calendar.py": {
        "declined, free, cancelled, kinds of events": "test_events_come_as_the_calendar_means_them",
        "cancelled in the title at Google": "test_cancelled_in_the_title_only_counts_as_cancelled",
    },
    "accounts/test_caldav.py": {
        "objects that come back empty": "test_objects_that_come_back_empty_are_asked_for_by_name"
    },
    "calendar/test_ics_known_failures.py": {
        "EXDATE as a date": "test_exdate_as_a_bare_date_takes_out_its_day",
        "EXDATE in UTC": "test_exdate_in_utc_takes_out_the_occurrence_of_that_instant",
        "EXDATE of all-day series": "test_exdate_of_an_all_day_series_in_any_form_takes_out_that_date",
        "override in another zone": "test_override_named_in_another_zone_replaces_its_occurrence",
        "override at zoned midnight": "test_override_of_an_all_day_series_stored_as_zoned_midnight_replaces_its_date",
        "orphan override": "test_orphan_override_stands_alone",
        "this and future": "test_this_and_future_moves_every_later_occurrence",
        "cancelled override": "test_cancelled_override_drops_its_occurrence_only",
        "cancelled master": "test_cancelled_master_drops_the_series_with_its_overrides",
        "cancelled in the title": "test_cancelled_in_the_title_only_counts_as_cancelled",
        "Windows zone": "test_windows_zone_without_definition_is_known",
        "invented zone": "test_invented_zone_is_told_and_read_in_the_calendars_own_zone",
        "UNTIL as a date": "test_until_as_a_date_keeps_the_last_days_occurrence",
        "spring gap": "test_daily_0230_over_the_spring_gap_keeps_its_hour",
        "autumn fold": "test_daily_0230_over_the_autumn_fold_keeps_its_hour_and_takes_the_first",
        "end before start": "test_end_before_start_is_flagged_and_takes_no_time",
        "no end": "test_timed_event_without_an_end_takes_no_time",
        "malformed rule": "test_malformed_rule_is_counted_and_all_else_is_read",
        "naive window": "test_window_is_of_instants_so_no_zone_falls_out_of_it",
        "X-WR-TIMEZONE only": "test_calendar_zone_alone_lets_a_series_in_utc_follow_its_clocks",
    },
    "calendar/test_ics_hostile.py": {
        "unbounded and absurd rules": "test_absurd_rules_take_no_time_and_spare_the_rest",
    },
    "calendar/test_merge.py": {
        "duplicates": "test_same_start_end_and_title_count_once_whatever_the_uid",
    },
    "calendar/test_calendar_busy.py": {
        "what is no meeting": "test_density_merges_clips_and_leaves_out_what_is_no_meeting",
    },
}
"""By file: the pitfall, and the test that names it."""


@cache
def _tests_in(file: str) -> frozenset[str]:
    tree = ast.parse((HERE / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize(
    ("file", "pitfall"), [(file, pitfall) for file, known in PITFALLS.items() for pitfall in known]
)
def test_a_pitfall_has_its_test(file: str, pitfall: str) -> None:
    assert PITFALLS[file][pitfall] in _tests_in(file)
