"""From answers to verdicts, pure: nothing here sends, stores or asks."""
