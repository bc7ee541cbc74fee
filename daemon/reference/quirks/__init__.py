"""The collection of stream quirks: what real servers do on the wire, and what a measuring client should make of it.

Data, a small renderer and the part that answers requests with them. Each quirk has a name, one sentence, the right
value, and for each form of streaming its bytes with their moments. ``words`` and the ``*_words`` modules say the
same things in every dialect. ``first_token``, ``reasoning``, ``tokens``, ``framing``, ``odd_chunks``, ``usage``,
``errors``, ``refusals`` and ``ends`` are the collection, and ``collection`` finds a quirk by its name. ``rendering``
makes bytes and moments of it; ``serving`` chooses what a request gets; ``document`` writes the page for readers. How
the bytes get to a client is :mod:`daemon.reference.server`'s business.
"""
