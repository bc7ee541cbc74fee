"""The configuration with which a real language model on this machine is asked."""

from __future__ import annotations

from pathlib import Path

from daemon.reference.local_model import ENDPOINT
from daemon.reference.local_server import MODEL


def local_model_files(directory: Path, base_url: str) -> Path:
    """Write the files into a directory and return it."""
    tables = {
        "messwerk.toml": '[daemon]\nsource = "local-model"\nvantage = "this machine"\n'
        "[measuring]\ncalibrate = false\n",
        "providers.toml": '[[provider]]\nname = "local"\nconcurrency = 1\n',
        "endpoints.toml": f'[[endpoint]]\nname = "{ENDPOINT}"\nprovider = "local"\ndialect = "openai-chat"\n'
        f'base_url = "{base_url}/v1"\nmodel = "{MODEL}"\nreasoning = "none"\n',
        "accounts.toml": '[[account]]\nname = "local"\nprovider = "local"\nkeyless = true\n',
        "schedule.toml": "",
    }
    directory.mkdir(exist_ok=True)
    for name, content in tables.items():
        (directory / name).write_text(content, encoding="utf-8")
    return directory
