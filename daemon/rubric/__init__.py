"""Rubric tasks are asked and judged here: runs over endpoints, judging models, persons at a terminal or with a file.

What is sent of a task is :mod:`daemon.workloads.rubric`; what a reply to a judging request means, and what verdicts
come to, is :mod:`daemon.judging.rubric`.
"""
