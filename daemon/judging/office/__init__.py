"""The office tasks' judge: replies to verdicts on fields, by rules alone.

Pure and total: whatever a reply holds, there is a verdict and nothing is raised. No number, date or JSON repair
library decides anything here. The rules in prose are in docs/methodology.md; a change of any is another
``SCORING_VERSION``.
"""
