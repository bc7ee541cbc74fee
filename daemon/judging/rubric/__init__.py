"""Judging and reporting rubric tasks: verdicts, two numbers that are never combined, agreement, reports. Pure.

Which requests are sent, and how people are asked, is ``daemon/rubric/``.
"""
