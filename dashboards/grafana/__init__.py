"""Grafana's side of the dashboards: its JSON model, its dialect of our SQL, alert rules, publishing.

Everything is made from the same definitions that the built-in page draws. ``build`` writes files, ``checking``
asks every query of a store, ``publishing`` sends the same JSON to a server.
"""
