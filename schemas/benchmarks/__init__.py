"""Tables of public benchmarks, to be read beside our own figures and never mixed with them.

Each table is a file here with one dated source, so that its rows compare. What is best in a row is worked out.
"""

from schemas.benchmarks.reading import BenchmarkTableError, benchmark_tables, read_table
from schemas.benchmarks.table import BenchmarkRow, BenchmarkSource, BenchmarkTable, Words

__all__ = [
    "BenchmarkRow",
    "BenchmarkSource",
    "BenchmarkTable",
    "BenchmarkTableError",
    "Words",
    "benchmark_tables",
    "read_table",
]
