"""The office tasks carried out: which documents an endpoint still has to answer, asking, judging, totals.

Making documents is ``daemon/workloads/office``, verdicts are ``daemon/judging/office``, one request on the wire is
``daemon/attempts``. Pure parts: ``units``, ``keys``, ``noticing``, ``course``. The log is the only memory.
"""
