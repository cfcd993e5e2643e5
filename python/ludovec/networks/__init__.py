"""Networks in files: as functions on arrays, and their export from torch."""

from .network import (
    CHAMPION,
    Network,
    SentNetwork,
    answered,
    find_onnx_runtime,
    of_player,
    sent,
)

__all__ = [
    "CHAMPION",
    "Network",
    "SentNetwork",
    "answered",
    "find_onnx_runtime",
    "of_player",
    "sent",
]
