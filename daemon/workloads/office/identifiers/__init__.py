"""Identifiers that real offices would accept: drawn and checked by rules of our own, stricter than libraries' are.

``czech`` and ``american`` have one ``draw_...`` and one ``is_...`` for each kind; ``collisions`` keeps decoys away
from every one of them. python-stdnum accepts all that is drawn here; a test sees to it.
"""
