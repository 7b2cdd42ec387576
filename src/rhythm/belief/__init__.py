"""Who is this person: posterior over profile and meters from any evidence."""
