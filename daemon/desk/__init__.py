"""What persons enter into the log: suspicions, decisions, verdicts and more, with a daemon and without.

Only the process that holds the log's lock may append. A command puts its event into the inbox
(:mod:`daemon.desk.inbox`); whoever holds the lock takes it in (:mod:`daemon.desk.taking`); and the command waits
until it sees it in the log (:mod:`daemon.desk.recording`). What persons read there is :mod:`daemon.desk.reading`.
"""
