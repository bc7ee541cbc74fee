"""The office tasks' documents: their truths are drawn first, the documents are made from them.

Everything is synthetic. What the words of the tasks mean is ``schemas/office``; scoring is ``daemon/judging/office``.
"""
