"""Eight words, spoken by espeak-ng: SYNTHETIC speech, which is easier than people's.

espeak-ng (https://github.com/espeak-ng/espeak-ng, GPL-3.0 or later; Debian's package espeak-ng) speaks each word in
several voices, speeds and pitches. Every recording is shifted in time and gets noise, as at a microphone.
"""

from __future__ import annotations

import itertools
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from .missing import MissingData

WORDS = ("yes", "no", "up", "down", "left", "right", "stop", "go")
RATE = 22_050  #: samples per second of espeak-ng
CLIP = RATE  #: samples of a recording: one second

#: The index of a word, a voice of espeak-ng, words per minute, and a pitch of 0 .. 99.
Speaking = tuple[int, str, int, int]

_WAV_HEADER = 44  # bytes


def record(
    voices: Sequence[str], speeds: Sequence[int], pitches: Sequence[int], takes: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return recordings (n, CLIP) in -1 .. 1 and the indices of their words; n is the product of all counts.

    voices: of espeak-ng, such as "en-us+f2". speeds: words per minute. pitches: 0 .. 99. takes: each with other noise.
    """
    wanted = list(itertools.product(range(len(WORDS)), voices, speeds, pitches))
    random = np.random.default_rng(seed)
    clips = [at_a_microphone(sound, random) for sound in spoken(wanted) for _ in range(takes)]
    return np.stack(clips), np.repeat([one[0] for one in wanted], takes)


def spoken(wanted: Sequence[Speaking]) -> list[np.ndarray]:
    """Return each spoken word (samples,) in -1 .. 1, without the silence around it."""
    if shutil.which("espeak-ng") is None:
        raise MissingData("espeak-ng", "sudo apt-get install espeak-ng")
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda one: speak(WORDS[one[0]], *one[1:]), wanted))


def speak(word: str, voice: str, speed: int, pitch: int) -> np.ndarray:
    """Return one word (samples,) in -1 .. 1, without the silence around it."""
    command = ["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "--stdout", word]
    wav = subprocess.run(command, check=True, capture_output=True).stdout
    sound = np.frombuffer(wav, "<i2", offset=_WAV_HEADER) / 32768
    loud = np.flatnonzero(np.abs(sound) > 0.01)
    return sound[loud[0] : loud[-1] + 1][:CLIP]


def at_a_microphone(sound: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return a clip (CLIP,) with the word at a random place, in noise 5 to 20 dB below it."""
    clip = np.zeros(CLIP)
    start = random.integers(0, CLIP - len(sound) + 1)
    clip[start : start + len(sound)] = sound
    noise = random.normal(size=CLIP) * np.sqrt(np.mean(sound**2)) * 10 ** (-random.uniform(5, 20) / 20)
    return clip + noise
