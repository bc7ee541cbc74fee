CREATE TABLE messwerk.migrations
(
    `number` UInt32 COMMENT 'number',
    `name` String COMMENT 'name'
)
ENGINE = ReplacingMergeTree()
ORDER BY (number)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'steps that brought the tables to their shape';
CREATE TABLE messwerk.checkpoints
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `projection` LowCardinality(String) COMMENT 'projection',
    `version` UInt32 COMMENT 'version of the projection',
    `definition` LowCardinality(String) COMMENT 'definitions that the rows were made with',
    `event` UUID COMMENT 'identifier of the event at seq: tells a replaced log',
    `state` String CODEC(ZSTD(3)) COMMENT 'msgpack of the fold\'s state, in hexadecimal'
)
ENGINE = ReplacingMergeTree(seq)
ORDER BY (projection, source)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'how far each projection has folded each source';
CREATE TABLE messwerk.definitions
(
    `definition` LowCardinality(String) COMMENT 'identifier, as stamped on rows',
    `version` String COMMENT 'name of the set',
    `last_share` Float64 COMMENT 'share of chunks for the speed of hidden reasoning',
    `assumed_reasoning_tokens` UInt32 COMMENT 'stands in for an unknown average, tokens',
    `reasoning_sample_prompts` UInt32 COMMENT 'distinct prompts that a measured average needs',
    `short_window_us` UInt64 COMMENT 'speed windows below this are not believed, microseconds'
)
ENGINE = ReplacingMergeTree()
ORDER BY (definition)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'definitions that rows were made with';
CREATE TABLE messwerk.rebuilds
(
    `projection` LowCardinality(String) COMMENT 'projection',
    `change` UInt64 COMMENT 'when this was written, nanoseconds since 1970',
    `phase` LowCardinality(String) COMMENT 'folding, exchanging, following or done',
    `definition` LowCardinality(String) COMMENT 'definitions that the new rows are made with',
    `version` UInt32 COMMENT 'version of the projection that makes them',
    `tables` Array(String) COMMENT 'names of the projection''s tables',
    `uuids` Array(String) COMMENT 'UUIDs of the new ones, in the same order',
    `old` LowCardinality(String) COMMENT 'what becomes of the old tables: day, keep or drop',
    `compared` String CODEC(ZSTD(3)) COMMENT 'what the comparison found, as JSON'
)
ENGINE = ReplacingMergeTree(change)
ORDER BY (projection)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'how far the last rebuild of each projection came';
CREATE TABLE messwerk.quarantine
(
    `name` String COMMENT 'topic/partition/offset, or source@seq for an event with a position',
    `change` UInt64 COMMENT 'when it was decided about, nanoseconds since 1970; 0 when found',
    `time` DateTime64(6, 'UTC') COMMENT 'when it was found',
    `topic` LowCardinality(Nullable(String)) COMMENT 'topic, null where the event itself says where it belongs',
    `partition` Nullable(UInt32) COMMENT 'partition',
    `offset` Nullable(UInt64) COMMENT 'offset of the record',
    `source` LowCardinality(Nullable(String)) COMMENT 'daemon, by the envelope or by the key of the record',
    `seq` Nullable(UInt64) COMMENT 'position, by the envelope or as declared when dropped',
    `type` LowCardinality(Nullable(String)) COMMENT 'type of the event, by the envelope',
    `reason` String COMMENT 'why it cannot be decoded',
    `bytes` String CODEC(ZSTD(3)) COMMENT 'the bytes, in hexadecimal',
    `state` LowCardinality(String) COMMENT 'held, readable or dropped',
    `decision` String COMMENT 'reason given for dropping it'
)
ENGINE = ReplacingMergeTree(change)
ORDER BY (name)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'bytes that could not be decoded, and what was decided about them';
CREATE TABLE messwerk.stops
(
    `source` LowCardinality(String) COMMENT 'daemon whose events cannot be folded further; empty when nobody knows',
    `reader` LowCardinality(String) COMMENT 'projections of the reader that stands still',
    `change` UInt64 COMMENT 'when this was written, nanoseconds since 1970',
    `time` DateTime64(6, 'UTC') COMMENT 'when it stopped',
    `seq` UInt64 COMMENT 'position behind which it stopped',
    `kind` LowCardinality(String) COMMENT 'gap, version, two-events or undecodable',
    `gap_first` Nullable(UInt64) COMMENT 'first position that is missing, for a gap',
    `gap_last` Nullable(UInt64) COMMENT 'last position that is missing, for a gap',
    `reason` String COMMENT 'what is wrong, and what to do',
    `state` LowCardinality(String) COMMENT 'stopped or passed'
)
ENGINE = ReplacingMergeTree(change)
ORDER BY (source, reader)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'sources that cannot be folded further, and why';
CREATE TABLE messwerk.lost
(
    `source` LowCardinality(String) COMMENT 'daemon whose events are lost',
    `first` UInt64 COMMENT 'first lost position',
    `last` UInt64 COMMENT 'last lost position',
    `time` DateTime64(6, 'UTC') COMMENT 'when it was declared',
    `person` String COMMENT 'who declared it',
    `reason` String COMMENT 'why nobody has them any more'
)
ENGINE = ReplacingMergeTree()
ORDER BY (source, first, last)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'events that a person declared lost';
CREATE TABLE messwerk.attempts
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `ended` DateTime64(6, 'UTC') COMMENT 'when the attempt was over, by the wall clock',
    `intended` Nullable(DateTime64(6, 'UTC')) COMMENT 'when it was meant to be sent',
    `vantage` LowCardinality(String) COMMENT 'where it was measured from',
    `provider` LowCardinality(String) COMMENT 'who runs the endpoint',
    `endpoint` LowCardinality(String) COMMENT 'endpoint\'s name in the catalogue',
    `model` LowCardinality(String) COMMENT 'model asked for',
    `region` LowCardinality(Nullable(String)) COMMENT 'endpoint\'s region',
    `quantization` LowCardinality(Nullable(String)) COMMENT 'as the provider states it',
    `reasoning` LowCardinality(String) COMMENT 'whether the model reasons and shows it, by the catalogue',
    `account` LowCardinality(String) COMMENT 'account\'s name',
    `role` LowCardinality(String) COMMENT 'measuring, or control: another account with the same payload',
    `account_kind` LowCardinality(Nullable(String)) COMMENT 'primary, funded, anonymous or provider-given',
    `suite` LowCardinality(String) COMMENT 'performance, reasoning, …',
    `workload` LowCardinality(String) COMMENT 'workload\'s name',
    `scenario` LowCardinality(String) COMMENT 'single or parallel-10',
    `trigger` LowCardinality(Nullable(String)) COMMENT 'what started the run',
    `late` Nullable(Bool) COMMENT 'the run began late',
    `calibration` Nullable(UUID) COMMENT 'calibration that its run was measured under',
    `calibration_within_bounds` Nullable(Bool) COMMENT 'that one''s verdict',
    `calibration_basis` LowCardinality(Nullable(String)) COMMENT 'fresh, recent, older, none or failed; null where not calibrated',
    `slot` Nullable(String) COMMENT 'slot by its nominal time',
    `run` UUID COMMENT 'run',
    `attempt` UUID COMMENT 'attempt',
    `request` UUID COMMENT 'request, shared by its retries',
    `retry_of` Nullable(UUID) COMMENT 'attempt that this one repeats',
    `sequence` UInt32 COMMENT '1 for the first attempt of a request',
    `ordinal` UInt32 COMMENT 'number within the run, where an endpoint is asked more than once',
    `simulated` Bool COMMENT 'reference endpoint, simulated clock or simulated transport',
    `clock` LowCardinality(String) COMMENT 'what took the times',
    `status` LowCardinality(String) COMMENT 'as recorded: response, error, cancelled or not-completed',
    `outcome` LowCardinality(String) COMMENT 'by definition: ok, empty, truncated, rate-limited, failed, …',
    `failure` LowCardinality(Nullable(String)) COMMENT 'class of the failure',
    `failure_message` Nullable(String) COMMENT 'its message',
    `http_status` Nullable(UInt16) COMMENT 'status of the response',
    `ttft_us` Nullable(UInt64) COMMENT 'to the first token, microseconds since the request was sent',
    `ttfat_us` Nullable(UInt64) COMMENT 'to the first answer token, microseconds',
    `end_to_end_us` Nullable(UInt64) COMMENT 'to the complete answer, microseconds',
    `output_speed` Nullable(Float64) COMMENT 'o200k_base tokens per second after the first',
    `speed_basis` LowCardinality(Nullable(String)) COMMENT 'chunks that the speed was taken over',
    `speed_note` LowCardinality(Nullable(String)) COMMENT 'why there is no speed; empty when there is one',
    `reasoning_hidden` Nullable(Bool) COMMENT 'thinking did not reach the client in full',
    `below_minimum` Nullable(Bool) COMMENT 'answer shorter than its workload asks for',
    `dns_us` Nullable(UInt64) COMMENT 'name look-up, microseconds; before the request, in no TTFT',
    `connect_us` Nullable(UInt64) COMMENT 'TCP connect, microseconds; likewise',
    `tls_us` Nullable(UInt64) COMMENT 'TLS handshake, microseconds; likewise',
    `connection_reused` Nullable(Bool) COMMENT 'an open connection was used again',
    `request_written_us` Nullable(UInt64) COMMENT 'last byte of the request handed over, microseconds',
    `first_byte_us` Nullable(UInt64) COMMENT 'first byte of the response, microseconds',
    `end_us` Nullable(UInt64) COMMENT 'attempt over, microseconds',
    `loop_lag_max_us` Nullable(UInt64) COMMENT 'longest lateness of the measuring event loop, microseconds',
    `gc_pauses` Nullable(UInt64) COMMENT 'collections of garbage while it was measured',
    `gc_longest_us` Nullable(UInt64) COMMENT 'longest of them, microseconds; null when there was none',
    `user_space_reads` Nullable(UInt64) COMMENT 'reads without a usable kernel time',
    `prompt_tokens` Nullable(UInt64) COMMENT 'prompt, counted in o200k_base tokens',
    `counted_reasoning_tokens` Nullable(UInt64) COMMENT 'reasoning received, o200k_base tokens',
    `counted_answer_tokens` Nullable(UInt64) COMMENT 'answer received, o200k_base tokens',
    `usage_input_tokens` Nullable(UInt64) COMMENT 'input as reported, cached or not',
    `usage_cached_tokens` Nullable(UInt64) COMMENT 'of it from a cache, as reported',
    `usage_cache_write_tokens` Nullable(UInt64) COMMENT 'of it written to a cache, as reported',
    `usage_output_tokens` Nullable(UInt64) COMMENT 'output as reported, reasoning included',
    `usage_reasoning_tokens` Nullable(UInt64) COMMENT 'of it reasoning, as reported',
    `cost_reported_usd` Nullable(Decimal(38, 12)) COMMENT 'cost as the provider reports it, USD',
    `cost_usd` Nullable(Decimal(38, 12)) COMMENT 'cost by the price in force that day, USD',
    `price_valid_from` Nullable(Date) COMMENT 'day from which that price holds',
    `min_output_tokens` Nullable(UInt64) COMMENT 'shortest answer that the workload asks for',
    `prompt_sha256` Nullable(String) COMMENT 'hash of the prompt',
    `prompt_task` LowCardinality(Nullable(String)) COMMENT 'kind of task, or the prompt''s own name in a fixed set',
    `tokenizer` LowCardinality(String) COMMENT 'what counted the tokens',
    `returned_model` LowCardinality(Nullable(String)) COMMENT 'model that the response names',
    `returned_provider` LowCardinality(Nullable(String)) COMMENT 'provider that the response names',
    `fingerprint` LowCardinality(Nullable(String)) COMMENT 'system fingerprint of the response',
    `finish_reason` LowCardinality(Nullable(String)) COMMENT 'why the answer ended, in the provider\'s word',
    `flags` Array(LowCardinality(String)) COMMENT 'observations beside the status',
    `definition` LowCardinality(String) COMMENT 'definitions that the figures were made with',
    INDEX attempt_index attempt TYPE bloom_filter GRANULARITY 1,
    INDEX run_index run TYPE bloom_filter GRANULARITY 1
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (suite, workload, endpoint, time, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1, index_granularity = 1024
COMMENT 'one row per completed attempt';
CREATE TABLE messwerk.runs
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `kind` LowCardinality(String) COMMENT 'planned, or skipped for the reason given',
    `run` Nullable(UUID) COMMENT 'run; none for a skipped slot',
    `slot` Nullable(String) COMMENT 'slot by its nominal time; none for a command',
    `suite` LowCardinality(Nullable(String)) COMMENT 'family of the workload',
    `workload` LowCardinality(String) COMMENT 'workload\'s name',
    `scenario` LowCardinality(String) COMMENT 'single or parallel-10',
    `trigger` LowCardinality(String) COMMENT 'schedule, command or calibration',
    `nominal` Nullable(DateTime64(6, 'UTC')) COMMENT 'slot\'s nominal time',
    `planned` Nullable(DateTime64(6, 'UTC')) COMMENT 'moment that was meant for it',
    `recorded` DateTime64(6, 'UTC') COMMENT 'when this was recorded',
    `late` Nullable(Bool) COMMENT 'the run began late',
    `reason` LowCardinality(Nullable(String)) COMMENT 'why the slot was skipped',
    `detail` Nullable(String) COMMENT 'more about it',
    `calibration` Nullable(UUID) COMMENT 'calibration that it is measured under',
    `calibration_within_bounds` Nullable(Bool) COMMENT 'that one''s verdict',
    `calibration_basis` LowCardinality(Nullable(String)) COMMENT 'fresh, recent, older, none or failed; null where not calibrated',
    `attempts` UInt32 COMMENT 'attempts planned',
    `prompts` UInt32 COMMENT 'distinct prompts',
    `input_tokens` Nullable(UInt64) COMMENT 'size of the first prompt, o200k_base tokens',
    `task` LowCardinality(Nullable(String)) COMMENT 'kind of task of the first prompt'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (workload, scenario, time, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'runs and skipped slots';
CREATE TABLE messwerk.planned_attempts
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `run` UUID COMMENT 'run',
    `attempt` UUID COMMENT 'attempt',
    `endpoint` LowCardinality(String) COMMENT 'endpoint\'s name in the catalogue',
    `account` LowCardinality(String) COMMENT 'account\'s name',
    `role` LowCardinality(String) COMMENT 'measuring, or control: another account with the same payload',
    `ordinal` UInt32 COMMENT 'number within the run',
    `workload` LowCardinality(String) COMMENT 'workload\'s name',
    `scenario` LowCardinality(String) COMMENT 'single or parallel-10',
    `slot` Nullable(String) COMMENT 'slot by its nominal time'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (endpoint, time, source, seq, attempt)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'every attempt that was planned';
CREATE TABLE messwerk.declarations
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `sha256` String COMMENT 'hash of the catalogue\'s content',
    `vantage` LowCardinality(String) COMMENT 'where this source measures from',
    `definition` LowCardinality(String) COMMENT 'definitions in the daemon\'s configuration at that time',
    `endpoints` UInt32 COMMENT 'count of endpoints',
    `accounts` UInt32 COMMENT 'count of accounts'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'catalogues that were declared';
CREATE TABLE messwerk.endpoints
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `vantage` LowCardinality(String) COMMENT 'where this source measures from',
    `endpoint` LowCardinality(String) COMMENT 'name',
    `provider` LowCardinality(String) COMMENT 'provider\'s name',
    `provider_title` Nullable(String) COMMENT 'provider\'s name for people',
    `dialect` LowCardinality(String) COMMENT 'wire format',
    `base_url` String COMMENT 'where requests go',
    `model` LowCardinality(String) COMMENT 'model asked for',
    `reasoning` LowCardinality(String) COMMENT 'none, shown, hidden or unknown',
    `vision` Bool COMMENT 'takes pictures',
    `simulated` Bool COMMENT 'reference endpoint',
    `pinned_provider` LowCardinality(Nullable(String)) COMMENT 'provider that a router is held to',
    `quantization` LowCardinality(Nullable(String)) COMMENT 'as the provider states it',
    `context_tokens` Nullable(UInt64) COMMENT 'context length, tokens',
    `region` LowCardinality(Nullable(String)) COMMENT 'where it runs',
    `overrides` String COMMENT 'parameters that differ from the methodology, JSON'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (source, seq, endpoint)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'endpoints by declaration';
CREATE TABLE messwerk.prices
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `endpoint` LowCardinality(String) COMMENT 'endpoint\'s name',
    `valid_from` Date COMMENT 'first UTC day on which it holds',
    `input_usd` Decimal(38, 12) COMMENT 'input',
    `output_usd` Decimal(38, 12) COMMENT 'output',
    `cached_input_usd` Nullable(Decimal(38, 12)) COMMENT 'input from a cache',
    `cache_write_usd` Nullable(Decimal(38, 12)) COMMENT 'input written to a cache',
    `stated_by` Nullable(String) COMMENT 'where the price was found'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (source, seq, endpoint, valid_from)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'prices by declaration';
CREATE TABLE messwerk.accounts
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `account` LowCardinality(String) COMMENT 'account\'s name',
    `provider` LowCardinality(String) COMMENT 'provider\'s name',
    `kind` LowCardinality(String) COMMENT 'primary, funded, anonymous or provider-given'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (source, seq, account)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'accounts by declaration';
CREATE TABLE messwerk.calibrations
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `calibration` UUID COMMENT 'calibration',
    `transport` LowCardinality(String) COMMENT 'transport that was measured with',
    `tls` Bool COMMENT 'over TLS',
    `streams` UInt32 COMMENT 'streams at once',
    `clock` LowCardinality(Nullable(String)) COMMENT 'what took the times',
    `loop_lag_p99_us` Nullable(UInt64) COMMENT 'lateness of the event loop, microseconds',
    `gc_pauses` Nullable(UInt64) COMMENT 'collections of garbage meanwhile',
    `gc_longest_us` Nullable(UInt64) COMMENT 'longest of them, microseconds',
    `user_space_reads` Nullable(UInt64) COMMENT 'attempts of which some read had no usable kernel time',
    `profile` LowCardinality(String) COMMENT 'profile of the known source',
    `metric` LowCardinality(String) COMMENT 'what was measured',
    `statistic` LowCardinality(String) COMMENT 'p50, p99 or max',
    `unit` LowCardinality(String) COMMENT 'unit of the three values',
    `n` UInt64 COMMENT 'measurements',
    `truth` Float64 COMMENT 'what it was',
    `measured` Float64 COMMENT 'what was measured',
    `error` Float64 COMMENT 'measured minus truth',
    `within_bounds` Bool COMMENT 'the error is within its bound',
    `calibration_within_bounds` Bool COMMENT 'every median of this event is, and nothing is missing'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (profile, metric, statistic, time, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'the instrument\'s own error';
CREATE TABLE IF NOT EXISTS messwerk.comparisons
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `look` UUID COMMENT 'look: everything that was tested and corrected together',
    `place` UInt32 COMMENT 'place within the look\'s evidence of this endpoint and pair',
    `endpoint` LowCardinality(String) COMMENT 'endpoint\'s name',
    `account` LowCardinality(String) COMMENT 'account whose figures are shown',
    `compared_with` LowCardinality(String) COMMENT 'the other account',
    `metric` LowCardinality(String) COMMENT 'what was compared',
    `workload` LowCardinality(Nullable(String)) COMMENT 'workload, or all',
    `window_h` Nullable(UInt32) COMMENT 'length of the window, hours',
    `window_start` Nullable(DateTime64(6, 'UTC')) COMMENT 'begin of the window',
    `window_end` Nullable(DateTime64(6, 'UTC')) COMMENT 'end of the window',
    `pairs` UInt64 COMMENT 'pairs compared',
    `runs` Nullable(UInt64) COMMENT 'runs that had the metric from both accounts',
    `ratio` Nullable(Float64) COMMENT 'median of the runs\' ratios, the other account over the measuring one',
    `low` Nullable(Float64) COMMENT 'lower end of the interval of the Hodges-Lehmann ratio',
    `high` Nullable(Float64) COMMENT 'upper end of that interval',
    `p_value` Nullable(Float64) COMMENT 'of this test alone',
    `corrected_p_value` Nullable(Float64) COMMENT 'corrected over everything tested in the look',
    `account_share` Nullable(Float64) COMMENT 'of a share, that of the measuring account',
    `compared_share` Nullable(Float64) COMMENT 'of a share, that of the other account',
    `verdict` LowCardinality(Nullable(String)) COMMENT 'material, not-material or unknown',
    `rows_sha256` Nullable(String) COMMENT 'hash over what the window was compared from',
    `first_seq` Nullable(UInt64) COMMENT 'first attempt of the window in the source\'s log',
    `last_seq` Nullable(UInt64) COMMENT 'last attempt of the window in the source\'s log',
    `parameters` LowCardinality(String) COMMENT 'id of the comparison\'s parameters',
    `max_start_skew_ms` Nullable(Float64) COMMENT 'pairs begun further apart were not compared',
    `definition` LowCardinality(String) COMMENT 'definitions that the figures were made with'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (endpoint, metric, time, source, seq, place)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'every metric of every look at two accounts';
CREATE TABLE IF NOT EXISTS messwerk.cases
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `case_id` UUID COMMENT 'case',
    `endpoint` LowCardinality(String) COMMENT 'endpoint\'s name',
    `workload` LowCardinality(String) COMMENT 'workload, or all',
    `account` LowCardinality(String) COMMENT 'account whose figures are shown',
    `compared_with` LowCardinality(String) COMMENT 'the other account',
    `window_start` DateTime64(6, 'UTC') COMMENT 'begin of what was looked at',
    `window_end` DateTime64(6, 'UTC') COMMENT 'end of what was looked at',
    `findings` UInt32 COMMENT 'metrics found to differ materially',
    `evidence` String COMMENT 'the findings, JSON',
    `rows` String COMMENT 'what they were found from, with hashes, JSON',
    `look` Nullable(UUID) COMMENT 'look that found it; none for a person\'s suspicion',
    `person` Nullable(String) COMMENT 'who suspected; none for the program',
    `reason` Nullable(String) COMMENT 'why that person did',
    `parameters` LowCardinality(Nullable(String)) COMMENT 'id of the comparison\'s parameters',
    `definition` LowCardinality(String) COMMENT 'definitions that the figures were made with'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'suspicions, by the program or a person';
CREATE TABLE IF NOT EXISTS messwerk.decisions
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `case_id` UUID COMMENT 'case',
    `decision` UUID COMMENT 'decision; the event\'s id where it has none of its own',
    `measure` LowCardinality(String) COMMENT 'what was decided',
    `person` String COMMENT 'who decided',
    `reason` String COMMENT 'why, in that person\'s words',
    `account` LowCardinality(Nullable(String)) COMMENT 'with re-measure, the account that is shown from then on',
    `until` Nullable(DateTime64(6, 'UTC')) COMMENT 'with delay, when figures are shown again',
    `lifts` Nullable(UUID) COMMENT 'with lift, the decision that is taken back',
    `statement` Nullable(String) COMMENT 'with disclose, what the public is told'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'what persons decided';
CREATE TABLE IF NOT EXISTS messwerk.attestations
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `endpoint` LowCardinality(String) COMMENT 'endpoint\'s name',
    `statement` String COMMENT 'in the provider\'s words',
    `stated_by` String COMMENT 'who confirmed it, and where that can be found',
    `model_version` Nullable(String) COMMENT 'model version',
    `quantization` LowCardinality(Nullable(String)) COMMENT 'precision or quantization',
    `context_tokens` Nullable(UInt64) COMMENT 'context length, tokens',
    `public_standard_offer` Nullable(Bool) COMMENT 'it is the public standard offer'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'what providers confirmed';
CREATE TABLE IF NOT EXISTS messwerk.log_checkpoints
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `size` UInt64 COMMENT 'events under the root',
    `root` String COMMENT 'Merkle root (RFC 6962), base64'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'size and Merkle root of each log, as its daemon recorded them';
CREATE TABLE IF NOT EXISTS messwerk.office_attempts
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `vantage` LowCardinality(String) COMMENT 'where it was measured from',
    `provider` LowCardinality(String) COMMENT 'who runs the endpoint',
    `endpoint` LowCardinality(String) COMMENT 'endpoint\'s name in the catalogue',
    `model` LowCardinality(String) COMMENT 'model asked for',
    `account` LowCardinality(String) COMMENT 'account\'s name',
    `role` LowCardinality(String) COMMENT 'measuring, or control',
    `simulated` Bool COMMENT 'reference endpoint, simulated clock or simulated transport',
    `run` UUID COMMENT 'run',
    `attempt` UUID COMMENT 'attempt',
    `work` LowCardinality(String) COMMENT 'invoice, email, personal, or language-tax',
    `language` LowCardinality(String) COMMENT 'language of what was sent',
    `split` LowCardinality(String) COMMENT 'open, or private: in totals alone',
    `data_set` LowCardinality(String) COMMENT 'version of the data set or corpus',
    `document` String COMMENT 'document or paragraph; a keyed hash of a private one',
    `pair` Nullable(String) COMMENT 'shared with the twin in the other language',
    `tier` LowCardinality(Nullable(String)) COMMENT 'how an invoice reaches the model',
    `variant` LowCardinality(Nullable(String)) COMMENT 'kind of invoice',
    `layout` LowCardinality(Nullable(String)) COMMENT 'layout, shape or kind of text',
    `prompt_version` LowCardinality(String) COMMENT 'version of the prompt',
    `kind` LowCardinality(String) COMMENT 'first, without-schema, or again after invalid JSON',
    `with_schema` Bool COMMENT 'a JSON Schema was sent',
    `repetition` UInt32 COMMENT '1 unless the same is asked several times',
    `answered` Bool COMMENT 'a complete response came from the pinned provider, whatever it said',
    `own_end` Bool COMMENT 'ended by us: cancelled, stopped or crashed',
    `failure` LowCardinality(Nullable(String)) COMMENT 'class of the failure',
    `latency_us` Nullable(UInt64) COMMENT 'from the request to the complete answer, microseconds',
    `input_tokens` Nullable(UInt64) COMMENT 'input as reported',
    `output_tokens` Nullable(UInt64) COMMENT 'output as reported, reasoning included',
    `cost_usd` Nullable(Decimal(38, 12)) COMMENT 'cost as the API returns it, USD',
    `may_cost` Bool COMMENT 'not refused before anything was generated: null cost is unknown',
    INDEX attempt_index attempt TYPE bloom_filter GRANULARITY 1
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (work, endpoint, document, time, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'one row per completed attempt that asked about an office document or a paragraph';
CREATE TABLE IF NOT EXISTS messwerk.office_judgments
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `judgment` UUID COMMENT 'judgment',
    `document` String COMMENT 'document',
    `field` LowCardinality(String) COMMENT 'field of it',
    `attempt` Nullable(UUID) COMMENT 'attempt whose answer was judged',
    `answer_sha256` String COMMENT 'hash of that answer',
    `judge` LowCardinality(String) COMMENT 'rule set, person or model that judged',
    `judge_version` LowCardinality(String) COMMENT 'its version',
    `verdict` Nullable(Bool) COMMENT 'right; null where the field is not applicable',
    `category` LowCardinality(Nullable(String)) COMMENT 'why it is wrong',
    `sub_code` LowCardinality(Nullable(String)) COMMENT 'more about why',
    `supersedes` Nullable(UUID) COMMENT 'judgment whose place this one takes'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (document, field, time, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'verdicts on fields of office documents, superseded ones too';
CREATE TABLE IF NOT EXISTS messwerk.private_totals
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `totals` UUID COMMENT 'totals',
    `run` UUID COMMENT 'newest run that asked',
    `endpoint` LowCardinality(String) COMMENT 'endpoint\'s name in the catalogue',
    `task` LowCardinality(String) COMMENT 'invoice, email or personal',
    `language` LowCardinality(String) COMMENT 'cs or en',
    `data_set` LowCardinality(String) COMMENT 'version of the data set',
    `salt_sha256` LowCardinality(String) COMMENT 'commitment to the salt that made the documents',
    `prompt_version` LowCardinality(String) COMMENT 'version of the prompt',
    `judge` LowCardinality(String) COMMENT 'rule set that judged',
    `judge_version` LowCardinality(String) COMMENT 'its version',
    `documents` UInt64 COMMENT 'documents answered',
    `valid` UInt64 COMMENT 'of them with a valid answer',
    `error_free` UInt64 COMMENT 'of them with nothing to mend',
    `judged` UInt64 COMMENT 'fields judged',
    `right` UInt64 COMMENT 'of them right'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (endpoint, task, language, time, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'totals over private office documents';
CREATE TABLE IF NOT EXISTS messwerk.private_categories
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `totals` UUID COMMENT 'totals',
    `field` LowCardinality(String) COMMENT 'field',
    `category` LowCardinality(String) COMMENT 'why it is wrong',
    `wrong` UInt64 COMMENT 'wrong fields'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (totals, field, category, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'wrong fields of private office documents, counted by category';
CREATE TABLE IF NOT EXISTS messwerk.rubric_attempts
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `attempt` UUID COMMENT 'attempt',
    `run` UUID COMMENT 'run',
    `endpoint` LowCardinality(String) COMMENT 'endpoint\'s name in the catalogue of endpoints',
    `catalogue` LowCardinality(String) COMMENT 'catalogue of tasks',
    `catalogue_version` LowCardinality(String) COMMENT 'its version',
    `task` String COMMENT 'task',
    `language` LowCardinality(String) COMMENT 'de or en',
    `field` LowCardinality(String) COMMENT 'field of the profession, such as vat',
    `title` String COMMENT 'title of the task',
    `task_sha256` String COMMENT 'hash of the task\'s file',
    `prompt_sha256` String COMMENT 'hash of facts and question as sent',
    `repetition` UInt32 COMMENT '1 unless the same is asked several times',
    `reader` LowCardinality(Nullable(String)) COMMENT 'who gave the valid second reading; null of an unread task',
    `standing` LowCardinality(String) COMMENT 'read, example or unread: whether a second expert had checked the task',
    `criteria` Array(String) COMMENT 'ids of the criteria',
    `statements` Array(String) COMMENT 'what each states',
    `criticals` Array(Bool) COMMENT 'whether each is critical'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (catalogue, endpoint, language, task, time, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'one row per attempt that asked an expert task';
CREATE TABLE IF NOT EXISTS messwerk.rubric_judgments
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `judgment` UUID COMMENT 'judgment',
    `attempt` Nullable(UUID) COMMENT 'attempt whose answer was judged',
    `subject` String COMMENT 'catalogue/task/language/criterion',
    `answer_sha256` String COMMENT 'hash of that answer',
    `judge_kind` LowCardinality(String) COMMENT 'person or model',
    `judge` LowCardinality(String) COMMENT 'person\'s id, or endpoint of the judging model',
    `judge_version` LowCardinality(String) COMMENT 'version of the instructions or of the prompt',
    `judge_model` LowCardinality(Nullable(String)) COMMENT 'model of that endpoint; null of a person',
    `verdict` Nullable(Bool) COMMENT 'whether the criterion is met; null is ungraded',
    `category` LowCardinality(Nullable(String)) COMMENT 'why there is no verdict',
    `reason` Nullable(String) COMMENT 'the judge\'s reason',
    `supersedes` Nullable(UUID) COMMENT 'judgment whose place this one takes'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (subject, judge, time, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'verdicts on criteria of expert tasks, superseded ones too';
CREATE TABLE IF NOT EXISTS messwerk.review_plans
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `record` String COMMENT 'record of a run',
    `origin` LowCardinality(String) COMMENT 'measured here, or imported from a file',
    `notice` Nullable(String) COMMENT 'what the run says of itself',
    `condition` LowCardinality(String) COMMENT 'condition',
    `candidate` LowCardinality(String) COMMENT 'candidate that it is about',
    `provider` LowCardinality(String) COMMENT 'provider, as the run names it',
    `model` LowCardinality(String) COMMENT 'model that was asked for',
    `cohort` LowCardinality(String) COMMENT 'scope of rules',
    `strategy` LowCardinality(String) COMMENT 'bundled, or single: a request for each rule',
    `source_text` String COMMENT 'id of the text under review',
    `language` LowCardinality(String) COMMENT 'de or en',
    `repetition` UInt32 COMMENT 'repetition',
    `review` String COMMENT 'condition/source/rN',
    `rules` Array(String) COMMENT 'rules of the scope',
    `requests` UInt32 COMMENT 'requests that it takes',
    `final_attempts` Array(String) COMMENT 'attempts chosen as its answers; none while not chosen',
    `judges` Array(String) COMMENT 'persons whose judgments are in force',
    `adjudicator` LowCardinality(Nullable(String)) COMMENT 'person who adjudicates'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (record, review, time, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'planned text reviews, as their records stood';
CREATE TABLE IF NOT EXISTS messwerk.review_attempts
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `record` String COMMENT 'record of a run',
    `attempt_id` String COMMENT 'its id in the run',
    `attempt` Nullable(UUID) COMMENT 'attempt of ours; null of an imported one',
    `review` String COMMENT 'condition/source/rN',
    `request_id` String COMMENT 'frozen request',
    `sequence` UInt32 COMMENT 'number at that request within the review',
    `retry_of` Nullable(String) COMMENT 'attempt that it repeats',
    `status` LowCardinality(Nullable(String)) COMMENT 'of an imported one: response, error, cancelled, not-completed',
    `cost_usd` Nullable(Float64) COMMENT 'of an imported one: cost, USD; null is unknown'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (record, review, attempt_id, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'attempts at the requests of text reviews';
CREATE TABLE IF NOT EXISTS messwerk.review_answers
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `record` String COMMENT 'record of a run',
    `attempt_id` String COMMENT 'attempt\'s id in the run',
    `failure` LowCardinality(Nullable(String)) COMMENT 'how it failed; null of a valid one',
    `detail` Nullable(String) COMMENT 'where it failed',
    `decided_rules` Array(String) COMMENT 'rules that a valid one decides',
    `decisions` Array(String) COMMENT 'keep, change or needs-evidence, for each of them'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (record, attempt_id, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'what the responses of text reviews are by their form';
CREATE TABLE IF NOT EXISTS messwerk.review_judgments
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `record` String COMMENT 'record of a run',
    `review` String COMMENT 'condition/source/rN',
    `role` LowCardinality(String) COMMENT 'judge or adjudicator',
    `reviewer` LowCardinality(String) COMMENT 'person',
    `response_set_sha256` String COMMENT 'hash of the answers that were judged',
    `finished` Bool COMMENT 'nothing is left to be judged',
    `facts_preserved` Nullable(Bool) COMMENT 'facts are preserved',
    `intent_preserved` Nullable(Bool) COMMENT 'intent is preserved',
    `harmful_change` Nullable(Bool) COMMENT 'an alternative is harmful',
    `judged_rules` Array(String) COMMENT 'rules',
    `justified` Array(Nullable(Bool)) COMMENT 'its decision is justified',
    `missed` Array(Nullable(UInt32)) COMMENT 'issues that were missed',
    `rationale` Nullable(String) COMMENT 'why, of the review as a whole'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (record, review, role, reviewer, time, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'people\'s judgments of text reviews, earlier ones too';
CREATE TABLE IF NOT EXISTS messwerk.exchange_rates
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `base` LowCardinality(String) COMMENT 'currency that is converted',
    `quote` LowCardinality(String) COMMENT 'currency that is shown',
    `rate` Decimal(38, 12) COMMENT 'units of quote for one of base',
    `day` Date COMMENT 'day that the rate is of',
    `stated_by` String COMMENT 'where the rate was taken from'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (base, quote, day, time, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'exchange rates for display';
CREATE TABLE messwerk.timelines
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `attempt` UUID COMMENT 'attempt',
    `elapsed_us` Array(UInt64) CODEC(Delta, ZSTD(1)) COMMENT 'arrival, microseconds since sent',
    `read_bytes` Array(UInt32) CODEC(ZSTD(1)) COMMENT 'bytes of the read; 0 for its further chunks',
    `channel` Array(UInt8) CODEC(ZSTD(1)) COMMENT '0 none, 1 reasoning, 2 answer, 3 tool, 4 refusal',
    `tokens` Array(UInt32) CODEC(ZSTD(1)) COMMENT 'o200k_base tokens of the chunk',
    `answer` Nullable(String) CODEC(ZSTD(3)) COMMENT 'answer',
    `answer_sha256` Nullable(String) COMMENT 'hash of the answer',
    `answer_blob` Nullable(String) COMMENT 'the answer\'s place in the blob store',
    `reasoning` Nullable(String) CODEC(ZSTD(3)) COMMENT 'reasoning',
    `reasoning_sha256` Nullable(String) COMMENT 'hash of the reasoning',
    `reasoning_blob` Nullable(String) COMMENT 'the reasoning\'s place in the blob store'
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (attempt, source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1, index_granularity = 64
COMMENT 'arrivals of each attempt';
CREATE TABLE messwerk.events
(
    `source` LowCardinality(String) COMMENT 'daemon whose log holds the event',
    `seq` UInt64 COMMENT 'position of the event in that log',
    `time` DateTime64(6, 'UTC') COMMENT 'when, by the daemon\'s wall clock',
    `id` UUID COMMENT 'event\'s identifier',
    `type` LowCardinality(String) COMMENT 'event\'s type',
    `attempt` Nullable(UUID) COMMENT 'attempt that it is about',
    `run` Nullable(UUID) COMMENT 'run that it is about',
    `json` String CODEC(ZSTD(1)) COMMENT 'envelope and event, without timeline and texts',
    INDEX attempt_index attempt TYPE bloom_filter GRANULARITY 1,
    INDEX run_index run TYPE bloom_filter GRANULARITY 1
)
ENGINE = ReplacingMergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (source, seq)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 14400, min_age_to_force_merge_on_partition_only = 1
COMMENT 'every event, for looking up';
