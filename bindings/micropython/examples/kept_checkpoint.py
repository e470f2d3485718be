"""A checkpoint on the board's file system, of which one is always whole, wherever power fails."""

import os

import gradmote


def save(session, path):
    """Write beside the file that is there, and give that its name once all bytes are on the disk."""
    new = path + ".new"
    with open(new, "wb") as file:
        session.save_to(file)
    try:
        os.rename(new, path)
    except OSError:  # FAT replaces no file; restore() looks for the new one too
        os.remove(path)
        os.rename(new, path)


def restore(session, path):
    """Load what save() kept last; return whether there was a checkpoint of this model."""
    for name in (path, path + ".new"):
        try:
            with open(name, "rb") as file:
                session.load(file)
            return True
        except (OSError, gradmote.RuntimeFault):
            pass  # no such file, one whose writing broke off, or another model's
    return False
