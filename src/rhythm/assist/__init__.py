"""One person's service: today, respond, insights, trends, notify."""
