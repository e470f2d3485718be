"""Log-mel features: the input of a keyword spotter on a microcontroller.

Frames of the sound, windowed, Fourier-transformed; power summed in triangular bands that are evenly spaced on the mel
scale, mel(f) = 2595 log10(1 + f / 700 Hz); then the logarithm, and mean 0 and deviation 1 over the whole clip.
"""

from __future__ import annotations

import numpy as np


def log_mel(sound: np.ndarray, rate: int, frames: int = 40, bands: int = 20) -> np.ndarray:
    """Return the features (frames, bands) float32 of `rate` Hz sound. Frames overlap by half and cover all of it."""
    hop = len(sound) // (frames + 1)
    windows = np.lib.stride_tricks.sliding_window_view(sound, 2 * hop)[::hop][:frames]
    power = np.abs(np.fft.rfft(windows * np.hanning(2 * hop), axis=1)) ** 2
    features = np.log(power @ mel_filters(rate, 2 * hop, bands) + 1e-6)
    return ((features - features.mean()) / (features.std() + 1e-6)).astype(np.float32)


def mel_filters(rate: int, window: int, bands: int, lowest: float = 80.0) -> np.ndarray:
    """Return the weight of each Fourier bin in each band, (window / 2 + 1, bands), from `lowest` Hz to rate / 2."""
    edges = hertz(np.linspace(mel(lowest), mel(rate / 2), bands + 2))
    bins = np.fft.rfftfreq(window, 1 / rate)[:, None]
    low, centre, high = edges[:-2], edges[1:-1], edges[2:]
    return np.clip(np.minimum((bins - low) / (centre - low), (high - bins) / (high - centre)), 0, None)


def mel(hz: float | np.ndarray) -> float | np.ndarray:
    return 2595 * np.log10(1 + hz / 700)


def hertz(mels: np.ndarray) -> np.ndarray:
    return 700 * (10 ** (mels / 2595) - 1)
