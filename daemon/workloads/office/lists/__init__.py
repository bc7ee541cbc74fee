"""Lists of our own, from which documents are drawn: names, streets, towns, banks, trades and what they sell.

Data alone. A changed list changes every document drawn from it, so it is another version of the data set.
"""
