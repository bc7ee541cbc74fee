"""Shipping the local log to Kafka: in order, nothing lost, and never at the expense of measuring.

``forwarder`` is the work itself, over any ``sink``; ``resuming`` decides from where; ``kafka_sink`` speaks to
brokers; ``process`` keeps it in a process of its own. The log is the backlog: nothing is copied to wait.
"""
