"""Invoices: the truth is drawn first, a layout sets it on a page, and the page is read, scanned or photographed.

``outline`` is what twins share, ``parties`` and ``truth`` what each language has of its own, ``layouts`` the eight
forms on ``sheet``, ``pictures`` and ``worn`` the images.
"""
