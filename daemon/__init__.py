"""The write side: command line, schedule, runs, attempts, wire dialects, log, workloads, reference server.

Nothing here reads tables or draws pictures; only :mod:`daemon.cli` may import the other sides.
"""
