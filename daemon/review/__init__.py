"""Records of text reviews: run files turned into events and back without loss, attempts of ours, people's judgments.

What a file is and whether it holds is :mod:`daemon.judging.review`, which sends nothing; this package feeds it.
"""
