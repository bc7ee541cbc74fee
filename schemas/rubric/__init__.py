"""The language of rubric tasks: catalogues, tasks, second readings and reports.

Files, linter, runs, judging, projections and pages meet here and nowhere else. Nothing here reads, sends or decides.
"""
