"""Whether an ordinary account gets what the measuring account gets: paired comparison and its statistics."""
