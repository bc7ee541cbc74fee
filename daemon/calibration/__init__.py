"""The instrument measures a source whose truth is known, and says by how much it was wrong.

``comparison`` is the pure arithmetic, ``exercise`` sends the requests, ``source`` is what they are sent to and
``taking`` one calibration from start to verdict; ``keeping`` decides before which runs there is one. How figures
are computed from an attempt is the read side's business: the command line hands that function in.
"""
