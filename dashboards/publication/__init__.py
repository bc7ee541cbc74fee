"""Publication: answers of the public queries become the files of a static, self-contained snapshot."""
