"""When things run: slots and their rules, and what wakes the daemon at a slot."""
