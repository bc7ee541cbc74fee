"""The language of text reviews: the files of the offline evaluator, with camelCase names as they stand in them.

``sources`` are prepared into a ``manifest``; a ``run`` is measured and judged; a ``report`` says what came of it.
``answers`` is what a model is asked for, ``refusals`` why an evaluation is refused. Nothing here reads or decides.
"""
