"""Pages and JSON API over the assistant."""
