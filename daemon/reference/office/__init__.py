"""Reference models for the office tasks: they answer from the truth, with mistakes of chosen kinds and numbers.

None is a language model. What each gets wrong is planned before anything is asked (``planning``), so the accuracy
that a measurement must find is known exactly. Scoring has no part in it: kinds of mistakes are worded here anew.
"""
