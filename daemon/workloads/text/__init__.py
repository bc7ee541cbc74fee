"""Text prompts: source material of many kinds joined with one of many tasks, sized to a token budget."""
