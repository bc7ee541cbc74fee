"""The instrument measures a source whose truth is known, and says by how much it was wrong.

``comparison`` is the pure arithmetic, ``exercise`` sends the requests. How figures are computed from an
attempt is the read side's business: the command line hands that function in.
"""
