"""A Kafka topic as a source of events: who reads which partition, and from which offset."""
