"""What the readers of vendors' exports share: files in a zip, rows, clocks, and one way from rows to records."""
