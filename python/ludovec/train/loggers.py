"""Loggers of a run: TensorBoard and Weights & Biases."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from .._shared.errors import config_error
from .._shared.extras import extra
from .configuration import Config

#: The id of the run at Weights & Biases, which a resumed run continues.
_RUN = "wandb.id"


class Loggers:
    """Passes numbers to the loggers of a run."""

    def __init__(self, config: Config, folder: Path) -> None:
        """Begins to log in ``folder``.

        Raises:
            ImportError: The configuration names a project, and wandb is not installed.
            InvalidConfig: wandb refuses the project, or cannot start.
        """
        self._tensorboard = _tensorboard(folder)
        self._wandb = _wandb(config, folder) if config.wandb else None

    def add(self, values: dict[str, float], updates: int) -> None:
        """Numbers after so many updates, by name."""
        if self._tensorboard:
            for name, value in values.items():
                self._tensorboard.add_scalar(name, value, updates)
        if self._wandb:
            self._wandb.log(values, step=updates)

    def close(self) -> None:
        """Writes the last numbers."""
        if self._tensorboard:
            self._tensorboard.close()
        if self._wandb:
            self._wandb.finish()


def _tensorboard(folder: Path) -> Any:
    """A TensorBoard writer, or None if TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder))


def _wandb(config: Config, folder: Path) -> Any:
    """A run of Weights & Biases."""
    with extra("wandb"):
        import wandb
    file = folder / _RUN
    run = file.read_text(encoding="utf-8").strip() if file.exists() else None
    told = asdict(config)
    try:
        begun = wandb.init(
            project=config.wandb,
            dir=folder,
            id=run,
            resume="allow",
            config=told,
            settings=wandb.Settings(console="off", silent=True),
        )
    except (wandb.Error, ValueError) as error:
        raise config_error(f"wandb={config.wandb}: {error}; WANDB_MODE=offline needs no account") from error
    file.write_text(begun.id + "\n", encoding="utf-8")
    return begun
