"""The read side: sources of events, the runner, the store, one projection a file, named queries."""
