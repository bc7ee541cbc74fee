CREATE DATABASE IF NOT EXISTS lab;
CREATE TABLE IF NOT EXISTS lab.checkpoints
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `projection` LowCardinality(String) COMMENT 'projection',
    `version` UInt32 COMMENT 'version of the projection',
    `definition` LowCardinality(String) COMMENT 'definitions that the rows were made with',
    `event` UUID COMMENT 'identifier of the event at seq: tells a replaced log',
    `state` String CODEC(ZSTD(3)) COMMENT 'msgpack of the fold\'s state, in hexadecimal'
)
ENGINE = ReplicatedReplacingMergeTree(seq)
ORDER BY (projection, source)
SETTINGS replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'how far each projection has folded each source';
CREATE TABLE IF NOT EXISTS lab.attempts_rebuilt;
EXCHANGE TABLES lab.attempts AND lab.attempts_rebuilt;
RENAME TABLE lab.attempts_rebuilt TO lab.attempts_before;
TRUNCATE TABLE IF EXISTS lab.attempts;
DELETE FROM lab.checkpoints WHERE projection = 'attempts';
DROP TABLE IF EXISTS lab.attempts_before SYNC;
CREATE TABLE lab.claim_migration_0 (nothing UInt8) ENGINE = Null COMMENT 'it\'s held';
ALTER TABLE lab.claim_migration_0 MODIFY COMMENT 'it\'s held';
