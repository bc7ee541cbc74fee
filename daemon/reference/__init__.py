"""Reference endpoints: sources whose truth is known, served over real HTTP or played in simulated time.

``profiles`` says how each behaves, ``script`` turns one request into bytes and moments, ``server`` writes
them to sockets and keeps the true times. None of this is a language model; whatever shows its figures says
that they are simulated. The one real model is ``local_model``: served on this machine, it keeps its own times.
"""
