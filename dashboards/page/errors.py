"""What the page answers when it cannot answer, and what stops it from being served at all."""

from __future__ import annotations

from schemas.errors import ConfigurationError, MesswerkError


class PageError(MesswerkError):
    """The page cannot be served."""


class PagePortError(PageError):
    """Something else listens where the page should."""


class BadRequestError(ConfigurationError):
    """A request names something that does not exist or cannot be read; ``where`` is the parameter at fault."""

    def __init__(self, what: str, *, where: str) -> None:
        super().__init__(f"{where}: {what}")
        self.what = what
        self.where = where


class NotFoundError(BadRequestError):
    """The thing asked for does not exist."""
