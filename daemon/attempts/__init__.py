"""One request on the wire, from the ask to its one ``attempt-completed``."""
