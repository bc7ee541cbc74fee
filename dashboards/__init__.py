"""What people look at: panels over named queries, drawn by the built-in page."""
