"""Rubric tasks: a folder of files that experts write, held against the rules of the specification, and what is sent.

Asking, judging and reports live elsewhere; nothing here sends anything.
"""
