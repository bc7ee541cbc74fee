"""What is said: events, their envelope, identifiers, clocks, and the contracts other sides build on.

Everything here is a type or pure logic. Nothing here opens a file, a socket or a database (``export``, a
development command, writes what is checked in below ``generated/``), and nothing here imports another side
of Messwerk.
"""
