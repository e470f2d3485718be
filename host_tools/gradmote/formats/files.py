"""Output files: checked before the work begins, written atomically, and durable.

Every file that the host writes goes through here. A target is tried when its Output is made, before
the work for it begins. Its bytes go to a temporary file beside it, which is synced to the disk and
then renamed. If that fails at the end, the result is kept in a temporary folder, and the error names
that folder.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ..errors import OutputError

try:
    import fcntl
except ImportError:  # Windows, which cannot remove open files
    fcntl = None  # type: ignore[assignment]

#: The names that _temporary() gives: ".NAME.gradmote-PID-RANDOM".
_TEMPORARY = re.compile(r"\..*\.gradmote-([1-9][0-9]*)-[0-9a-f]{12}", re.DOTALL)
_NAME_SHOWN = 40  # characters of the target's name in that of its temporary file
_BLOCK = 4096
#: /dev/null, /dev/zero and /dev/full of Linux.
_MEMORY_DEVICES = {os.makedev(1, minor) for minor in (3, 5, 7)} if hasattr(os, "makedev") else set()

_FREE_SPACE = "free some space, or name a place on another disk"
#: errno of a failed write -> what the user can do.
_HINTS = {
    errno.ENOENT: "make the folder first: mkdir -p {folder}",
    errno.ENOTDIR: "name another place: a part of this path is a file",
    errno.EISDIR: "name a file in it",
    errno.ENOSPC: _FREE_SPACE,
    errno.EDQUOT: _FREE_SPACE,
    errno.EFBIG: "name a place on another disk, or raise the limit: ulimit -f unlimited",
    errno.ENAMETOOLONG: "give it a shorter name",
}
_OTHER_HINT = "name another place, to which you may write"


class Output:
    """A file that some work will write.

    Making one tries whether it can be written, and removes temporary files that killed runs left in its
    folder. Raises OutputError if it cannot be written.

    size: bytes that the disk must have room for; if still unknown, call require_room() later. A pipe or a
    device takes the bytes as they come.
    """

    def __init__(self, path: str | os.PathLike[str], size: int = _BLOCK) -> None:
        """Try whether `size` bytes can be written to `path`."""
        self.path = Path(path)
        remove_left_over(self.file.parent)
        self.require_room(size)

    @property
    def file(self) -> Path:
        """Return the file to replace: the target if the path is a symbolic link."""
        return Path(os.path.realpath(self.path))

    def require_room(self, size: int) -> None:
        """Raise OutputError if a file of this size cannot be written."""
        with _as_output_error(self.path):
            _require_writable(self.path)
            if not _is_stream(self.path):
                with _temporary(self.file) as temporary:
                    _fill(temporary, bytes(size))

    def write(self, data: bytes, mode: int | None = None) -> None:
        """Write the file.

        mode: the file's permission bits; by default those of the replaced file, or the usual ones for a new
        file. Raises OutputError, which names the folder that keeps the data instead.
        """
        write_together([(self, data, mode)])

    def replace(self, data: bytes) -> None:
        """Write the file as one of many saves.

        Raises OutputError; then the previous save stays, and nothing is kept elsewhere.
        """
        with _as_output_error(self.path):
            _replace_all([(self, data, None)])


def write_atomically(path: str | os.PathLike[str], data: bytes, mode: int | None = None) -> None:
    """Write a file atomically.

    mode: as for Output.write(). Raises OutputError.
    """
    Output(path, len(data)).write(data, mode)


def write_together(files: Sequence[tuple[Output, bytes, int | None]]) -> None:
    """Write files that belong together, each with its data and mode.

    No file is replaced before all are on the disk. Raises OutputError, which names the folder that keeps
    the data instead.
    """
    try:
        _replace_all(files)
    except OSError as error:
        raise _kept_elsewhere([(output.path, data) for output, data, _ in files], error) from error


class AppendedFile:
    """A file that grows by records; append() returns once its record is on the disk.

    alone: no other process may have it open this way; otherwise raises OutputError. A failed record is taken back,
    so that those after it are not lost.
    """

    def __init__(self, path: Path, alone: bool = False) -> None:
        """Open the file, or make it. Raises OutputError."""
        self._path = path
        with _as_output_error(path):
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            _sync(path.parent)
        if alone and fcntl is not None:
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(self._handle)
                raise OutputError(f"another process has {path}", "end that one, or name another folder") from error

    def read(self) -> bytes:
        """Return all bytes."""
        with _as_output_error(self._path):
            return self._path.read_bytes()

    def append(self, data: bytes) -> None:
        """Append bytes, and sync them to the disk. Raises OutputError."""
        with _as_output_error(self._path):
            end, rest = os.lseek(self._handle, 0, os.SEEK_END), data
            try:
                while rest:
                    rest = rest[os.write(self._handle, rest) :]
                os.fsync(self._handle)
            except OSError:
                os.ftruncate(self._handle, end)
                raise

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes."""
        with _as_output_error(self._path):
            os.ftruncate(self._handle, size)
            os.fsync(self._handle)

    def close(self) -> None:
        """Close the file, which releases its lock. Closing twice does no harm."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1


def write_part(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that nothing reads yet: a part of a new_folder(), or of a scratch folder.

    Raises OutputError.
    """
    with _as_output_error(Path(path)):
        Path(path).write_bytes(data)


def copy_part(source: Path, target: Path) -> None:
    """Copy a file, or a folder with its contents, into a folder that nothing reads yet.

    Raises OutputError.
    """
    make_folder(target.parent)
    with _as_output_error(target):
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".pio"))
        else:
            shutil.copyfile(source, target)


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Make a folder, and missing ones above it.

    Raises OutputError.
    """
    with _as_output_error(Path(path)):
        Path(path).mkdir(parents=True, exist_ok=True)
    return Path(path)


@contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary folder to fill, which becomes `path` once it is complete.

    At first `path` must not exist, or be an empty folder. Raises OutputError, and leaves nothing then.
    """
    target = Path(path)
    make_folder(target.parent)
    remove_left_over(target.parent)
    with ExitStack() as stack:
        with _as_output_error(target):
            _require_possible_name(target)
            temporary = stack.enter_context(_temporary(target, is_folder=True))
        try:
            yield temporary
        except OutputError as error:  # it names a file of the folder, which is removed
            raise _cannot_write(target, error.__cause__) from error
        with _as_output_error(target):
            for found in [*temporary.rglob("*"), temporary]:
                _sync(found)
            if target.exists():
                target.rmdir()
            temporary.rename(target)
            _sync(target.parent)


def remove_left_over(folder: Path) -> None:
    """Remove temporary files and folders of runs that were killed.

    Files of runs that are still alive stay, and so does everything with another kind of name.
    """
    with suppress(OSError):
        for name in os.listdir(folder):
            found = _TEMPORARY.fullmatch(name)
            if found is not None and not _lives(int(found[1])):
                _remove_unlocked(folder / name)


def build_folder() -> Path:
    """Return the folder for built files.

    It is $GRADMOTE_BUILD if that is set, build/ in a checkout, and else gradmote in the user's folder for
    caches.
    """
    checkout = Path(__file__).resolve().parents[3]
    usual = checkout / "build" if (checkout / "SConstruct").is_file() else _caches() / "gradmote"
    return Path(os.environ.get("GRADMOTE_BUILD") or usual).absolute()


def make_build_folder(*parts: str) -> Path:
    """Make a folder below build_folder(), and return it.

    Raises OutputError, which explains how to choose another place.
    """
    folder = build_folder().joinpath(*parts)
    try:
        return make_folder(folder)
    except OutputError as error:
        hint = "name a folder that you may write to: GRADMOTE_BUILD=FOLDER gradmote ..."
        raise OutputError(error.message, hint) from error


def _caches() -> Path:
    """Return this system's folder for caches."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return given if given.is_absolute() else Path.home() / ".cache"


# ---- Replacing files ------------------------------------------------------------------------------------------------


def _replace_all(files: Sequence[tuple[Output, bytes, int | None]]) -> None:
    """Write all files to temporary ones, then rename them, then sync their folders."""
    with ExitStack() as stack:
        renames = []
        for output, data, mode in files:
            if _is_stream(output.path):
                output.path.write_bytes(data)
                continue
            temporary = stack.enter_context(_temporary(output.file, _mode(output.file, mode)))
            _fill(temporary, data)
            renames.append((temporary, output.file))
        for temporary, file in renames:
            os.replace(temporary, file)
        for folder in {file.parent for _, file in renames}:
            _sync(folder)


@contextmanager
def _temporary(target: Path, mode: int | None = None, is_folder: bool = False) -> Iterator[Path]:
    """Yield a new file or folder beside the target, and remove it at the end if it still exists.

    It is locked while in use, so that a later run can distinguish it from one that a killed run left.
    """
    name = f".{target.name[:_NAME_SHOWN]}.gradmote-{os.getpid()}-{secrets.token_hex(6)}"
    temporary = target.with_name(name)
    handle = _made_folder(temporary) if is_folder else _made_file(temporary, mode)
    try:
        if fcntl is not None and handle is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield temporary
    finally:
        if handle is not None:
            os.close(handle)
        _remove(temporary)


def _made_file(path: Path, mode: int | None) -> int:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
    if mode is not None and hasattr(os, "fchmod"):
        os.fchmod(handle, mode)  # os.open() applied the umask
    return handle


def _made_folder(path: Path) -> int | None:
    path.mkdir()
    return None if fcntl is None else os.open(path, os.O_RDONLY)


def _mode(file: Path, given: int | None) -> int | None:
    """Return the permission bits for the file: as given, or those of the existing file."""
    return stat.S_IMODE(file.stat().st_mode) if given is None and file.exists() else given


def _fill(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    """Sync a file, or a folder's names, to the disk, if the system can."""
    with suppress(PermissionError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
        finally:
            os.close(handle)


def _require_possible_name(path: Path) -> None:
    """Raise OSError for a name that no file can have; the temporary file's name is shorter."""
    with suppress(FileNotFoundError, NotADirectoryError):
        path.lstat()


def _require_writable(path: Path) -> None:
    _require_possible_name(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is write-protected")
    if _is_stream(path):
        _require_stream(path)


def _is_stream(path: Path) -> bool:
    """Return whether the path is a pipe or a device, which cannot be replaced."""
    return path.exists() and not path.is_file()


def _require_stream(path: Path) -> None:
    """Raise OSError for a file that does not take a stream of bytes, such as a disk, and for /dev/full."""
    about = path.stat()
    if about.st_rdev in _MEMORY_DEVICES and stat.S_ISCHR(about.st_mode):
        path.write_bytes(b"\0")
    elif not stat.S_ISFIFO(about.st_mode) and not _is_terminal(path):
        raise OSError(errno.ENOTSUP, "it is a device or a socket")


def _is_terminal(path: Path) -> bool:
    handle = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return os.isatty(handle)
    finally:
        os.close(handle)


# ---- Files that killed runs left -------------------------------------------------------------------------------------


def _lives(process: int) -> bool:
    if fcntl is None or process == os.getpid():
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _remove_unlocked(path: Path) -> None:
    """Remove a temporary file unless a process holds its lock.

    Processes on other computers that write to the same disk hold such locks too.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(path)
    finally:
        os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


# ---- Error messages --------------------------------------------------------------------------------------------------


@contextmanager
def _as_output_error(path: Path) -> Iterator[None]:
    """Turn an OSError into an OutputError that names the path."""
    try:
        yield
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: BaseException | None) -> OutputError:
    return OutputError(f"cannot write {path}: {_reason(path, error)}", _hint(path, error))


def _reason(path: Path, error: BaseException | None) -> str:
    if isinstance(error, FileNotFoundError) and not path.parent.exists():
        return f"there is no folder {path.parent}"
    return getattr(error, "strerror", None) or str(error)


def _hint(path: Path, error: BaseException | None) -> str:
    number = getattr(error, "errno", None) or 0
    if number == errno.ENOENT and path.parent.exists():
        return _OTHER_HINT
    return _HINTS.get(number, _OTHER_HINT).format(folder=path.parent)


def _kept_elsewhere(files: Sequence[tuple[Path, bytes]], error: OSError) -> OutputError:
    """Keep the data of files that cannot be written in a temporary folder, and return the error."""
    path = files[0][0]
    failed = f"cannot write {path}: {_reason(path, error)}"
    for parent in _fallback_folders():
        with suppress(OSError):
            kept = _keep(files, parent)
            return OutputError(f"{failed}; the result is in {kept}", f"move it: mv {kept} {path.parent}")
    return OutputError(f"{failed}; and the result could not be kept in a temporary folder", _hint(path, error))


def _fallback_folders() -> list[Path]:
    return [Path(tempfile.gettempdir()), Path("/var/tmp"), Path.home()]


def _keep(files: Sequence[tuple[Path, bytes]], parent: Path) -> str:
    """Write the files to a new folder in `parent`, and return their paths."""
    folder = Path(tempfile.mkdtemp(prefix="gradmote-", dir=parent))
    try:
        for path, data in files:
            _fill(folder / path.name, data)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return " ".join(str(folder / path.name) for path, _ in files)
