"""Calendars: files and feeds to events, events to actions, events to busy slots."""
