"""What each provider demands of a request body, rule by rule; knows nothing of our engine."""
