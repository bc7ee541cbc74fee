"""From bytes to chunks and from asks to requests: one pure module a dialect, no I/O and no clock."""
