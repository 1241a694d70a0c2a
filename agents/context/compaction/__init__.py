"""Making room in a context: strategies, the ladder, plans that can be shown, and component compactors."""
