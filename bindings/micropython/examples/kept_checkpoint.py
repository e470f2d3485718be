"""A checkpoint on the board's file system. Whenever power fails, one complete file remains."""

import os

import gradmote


def save(session, path):
    """Write a new file next to the old one, and rename it once all bytes are on the disk."""
    new = path + ".new"
    with open(new, "wb") as file:
        session.save_to(file)
    try:
        os.rename(new, path)
    except OSError:  # FAT does not replace files; restore() looks for the new one too
        os.remove(path)
        os.rename(new, path)


def restore(session, path):
    """Load the last checkpoint of save(); return whether there was one of this model."""
    for name in (path, path + ".new"):
        try:
            with open(name, "rb") as file:
                session.load(file)
            return True
        except (OSError, gradmote.RuntimeFault):
            pass  # no such file, an incomplete one, or another model's
    return False
