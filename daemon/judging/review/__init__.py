"""Offline evaluation of text reviews: stored answers and people's judgments in, a report out. Nothing is sent.

Pure: files are read and written by ``daemon/cli/review_files``; the types of the files are ``schemas/review``.
"""
