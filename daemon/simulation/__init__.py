"""Time that passes without waiting: a virtual event loop, its clock, and a transport that plays scripts.

The same schedule, runs, attempts, parsers and log run here as in real time; only loop, clock and transport
differ. Nothing here opens a socket or starts a thread.
"""
