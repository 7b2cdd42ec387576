"""Outside formats to the vocabulary: calendars, wearables, and the five meters from both."""
