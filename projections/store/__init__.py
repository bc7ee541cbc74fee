"""Where tables live: the store's contract, the ClickHouse server of our own, and clients of it."""
