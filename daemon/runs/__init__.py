"""From a due slot to attempts: planning a run, keeping to limits and budget, sending, closing."""
