"""The benchmark: conditions, graders, paired play, statistics, report and plots."""
