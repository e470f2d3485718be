"""Gradmote's serial line on MicroPython: `gradmote train --on PORT` trains this board.

    import gradmote_console
    gradmote_console.serve()

It speaks the frames of docs/CONSOLE.md over stdin and stdout until Ctrl-C is typed, and stores model
and checkpoint as files in the given folder. It has no commands to type: Ctrl-C returns to
MicroPython's prompt.
"""

import gc
import os
import struct
import sys
from array import array

import gradmote_frames as frames

import gradmote

try:
    from time import ticks_diff, ticks_us
except ImportError:

    def ticks_us():
        """Return 0: this port has no clock."""
        return 0

    def ticks_diff(later, earlier):
        """Return the time between two ticks."""
        return later - earlier


FRAME_LIMIT = 512
SLICE = 64  # instructions between two checks of the clock
ALIVE_TICKS = 500000
PROGRAMS = ("infer", "eval", "train", "optimizer", "step")
INPUT, LABEL, OUTPUT = range(3)
U32_MAX = 0xFFFFFFFF
CTRL_C = 3
INFO = 1  # the message whose reply is never repeated


class Fault(Exception):
    """A refused request; `code` goes to the host."""

    def __init__(self, name):
        """Take the name of a code."""
        super().__init__(name)
        self.code = frames.FAULTS[name]


# ---- Frames ---------------------------------------------------------------------------------------


class Line:
    """Frames over two byte streams, with their checks."""

    def __init__(self, stream_in, stream_out):
        """Take over two streams."""
        self.input, self.output = stream_in, stream_out
        self.buffer = bytearray(frames.HEADER_SIZE + FRAME_LIMIT + frames.TRAILER_SIZE)
        self.one = bytearray(1)
        self.errors = 0
        self.before = 0  # the last typed byte
        self.poll = poll_of(stream_in)

    def read_exactly(self, start, count):
        """Read into the buffer; return False if the rest of a frame is late.

        A stream blocks until it has all bytes that it is asked for. So this reads them one by one if the
        port can check whether another one has come.
        """
        if self.poll is None:
            self.read_into(memoryview(self.buffer)[start : start + count])
            return True
        for at in range(start, start + count):
            if at and not self.more_comes():
                return False
            self.read_into(self.one)
            self.buffer[at] = self.one[0]
        return True

    def read_into(self, view):
        """Read all bytes of the view, or raise EOFError."""
        if view and not self.input.readinto(view):
            raise EOFError

    def more_comes(self):
        """Return whether a byte comes within the longest pause in a frame; True if the port cannot check."""
        if self.poll is None:
            return True
        for _ in self.poll.ipoll(frames.BYTE_TIMEOUT_MS):
            return True
        return False

    def next_frame(self):
        """Return (type, sequence, payload) of the next good frame."""
        while True:
            self.read_exactly(0, 1)
            if self.buffer[0] == frames.START:
                frame = self.rest_of_frame()
                if frame:
                    return frame
                self.report_damage()
            elif not self.is_typed(self.buffer[0]):
                self.report_damage()

    def is_typed(self, byte):
        """Return whether the user typed the byte; raise KeyboardInterrupt at Ctrl-C.

        Noise has that byte too. It counts as a key if the line is quiet afterwards, or after a carriage
        return, which is how mpremote sends it.
        """
        before, self.before = self.before, byte
        if byte == CTRL_C:
            if before == 13 or self.poll is None or not self.more_comes():
                raise KeyboardInterrupt
            return False
        if byte == 13:
            self.output.write(b"Programs talk to this board now; Ctrl-C goes back to MicroPython.\r\n")
        return byte in b"\r\n\t\b" or 32 <= byte < 127

    def rest_of_frame(self):
        """Return the frame whose first byte was read, or None if it is damaged."""
        if not self.read_exactly(1, frames.HEADER_SIZE - 1):
            return None
        kind, sequence, length = struct.unpack_from("<BBH", self.buffer, 1)
        if length > FRAME_LIMIT or not self.read_exactly(frames.HEADER_SIZE, length + frames.TRAILER_SIZE):
            return None
        end = frames.HEADER_SIZE + length
        view = memoryview(self.buffer)
        if gradmote.crc32(view[1:end]) != struct.unpack_from("<I", self.buffer, end)[0]:
            return None
        return kind, sequence, bytes(view[frames.HEADER_SIZE : end])

    def report_damage(self):
        """Skip the rest of a damaged frame, as far as this port can wait for a quiet line."""
        self.errors += 1
        while self.poll and self.more_comes():
            self.read_exactly(0, 1)
        self.send(frames.ERROR_TYPE, 0, struct.pack("<i", frames.FAULTS["BAD_FRAME"]))

    def send(self, kind, sequence, payload=b""):
        """Send a frame."""
        body = struct.pack("<BBH", kind, sequence, len(payload)) + payload
        self.write_all(bytes((frames.START,)) + body + struct.pack("<I", gradmote.crc32(body)))

    def write_all(self, data):
        """Write all bytes, even if the stream takes only some at a time."""
        view = memoryview(data)
        while view:
            view = view[self.output.write(view) or 0 :]


def poll_of(stream):
    """Return a poll object of the stream, or None if the port has none."""
    try:
        import select

        poll = select.poll()
        poll.register(stream, select.POLLIN)
        return poll
    except (ImportError, AttributeError, OSError, TypeError):
        return None


# ---- Files ----------------------------------------------------------------------------------------


def exists(path):
    """Return whether there is a file."""
    try:
        os.stat(path)
        return True
    except OSError:
        return False


def replace(new, old):
    """Rename a complete file to the one that it replaces."""
    try:
        os.rename(new, old)
    except OSError:  # FAT does not replace files; if power fails here, the next start finds `new`
        os.remove(old)
        os.rename(new, old)


def checksum(path):
    """Return the CRC-32 of a file, or 0 if there is none."""
    crc = 0
    try:
        with open(path, "rb") as file:
            while True:
                part = file.read(512)
                if not part:
                    return crc
                crc = gradmote.crc32(part, crc)
    except OSError:
        return 0


def free_bytes(folder):
    """Return the free bytes of the file system."""
    try:
        stat = os.statvfs(folder or ".")
        return min(stat[0] * stat[3], U32_MAX)
    except (AttributeError, OSError):
        return 1 << 20


class Upload:
    """A file that arrives in chunks, next to the one that it replaces when complete."""

    def __init__(self, path, size):
        """Begin a file of `size` bytes."""
        self.path, self.size, self.received, self.crc = path, size, 0, 0
        self.file = open(path + ".part", "wb")

    def chunk(self, offset, data):
        """Write the bytes of a chunk that are new."""
        if offset > self.received or offset + len(data) > self.size:
            raise Fault("OUT_OF_ORDER")
        new = data[self.received - offset :]
        if new:
            self.file.write(new)
            self.received += len(new)
            self.crc = gradmote.crc32(new, self.crc)

    def end(self):
        """Close the file, and return its name."""
        self.file.close()
        if self.received != self.size:
            raise Fault("OUT_OF_ORDER")
        return self.path + ".part"


# ---- The board ------------------------------------------------------------------------------------


class Board:
    """The model, its files, and a method for each message, with the message's name."""

    def __init__(self, line, folder=""):
        """Open the files in the folder."""
        self.line = line
        self.folder = folder
        prefix = folder + "/" if folder and not folder.endswith("/") else folder
        self.model, self.kept = prefix + "model.mote", prefix + "checkpoint.gmck"
        self.base, self.down = prefix + "base.gmck", prefix + "delta"
        self.start()

    def start(self):
        """Open the files, as after power-on."""
        self.close_model()
        self.upload = None
        self.checkpoint = None
        if exists(self.model):
            try:
                self.open_model(self.model)
                self.load_kept()
            except (gradmote.GradmoteError, Fault) as error:
                self.status = getattr(error, "code", frames.FAULTS["NO_IMAGE"])

    def close_model(self):
        """Forget the model and everything that belongs to it."""
        self.session = None
        self.image = None
        self.status = frames.FAULTS["NO_IMAGE"]
        self.needs = None
        self.written = set()
        self.loss = float("nan")
        self.instructions = self.ticks = 0
        self.saves_done = self.save_error = 0
        self.half = self.sent = self.received = None
        gc.collect()

    def open_model(self, path):
        """Open the image in a file."""
        with open(path, "rb") as file:
            image = file.read()
        session = gradmote.Session(image)
        self.session, self.image, self.status = session, image, 0
        self.needs = session.requirements()

    def load_kept(self):
        """Load the stored base and checkpoint; return whether there is a state of this model."""
        before = self.load_base()
        for name in (self.kept, self.kept + ".new"):
            try:
                if before is not None and checksum(name) == before:
                    continue
                with open(name, "rb") as file:
                    self.session.load(file)
                return True
            except (OSError, gradmote.RuntimeFault):
                pass
        return before is not None

    def load_base(self):
        """Begin the round of the stored base; return the checksum of the checkpoint before it, or None."""
        for name in (self.base, self.base + ".new"):
            try:
                with open(name, "rb") as file:
                    data = file.read()
                crc, number, before = struct.unpack_from("<III", data)
                if gradmote.crc32(memoryview(data)[4:]) != crc:
                    continue
                self.session.load(memoryview(data)[12:])
                self.session.begin_round(number)
                return before
            except (OSError, ValueError, AttributeError, gradmote.RuntimeFault):
                pass
        return None

    def keep_base(self):
        """Store the base of the round, with the rest of the current state."""
        session = self.session
        base, trained = session.round_base(), bytes(session.parameters())
        session.set_parameters(base)
        try:
            state = session.save()
        finally:
            session.set_parameters(trained)
        body = struct.pack("<II", session.round, checksum(self.kept)) + state
        with open(self.base + ".new", "wb") as file:
            file.write(struct.pack("<I", gradmote.crc32(body)))
            file.write(body)
        replace(self.base + ".new", self.base)

    def opened(self):
        """Return the session, or refuse if there is no model."""
        if self.session is None:
            raise Fault("NO_IMAGE")
        return self.session

    # ---- Serving ----------------------------------------------------------------------------------

    def serve(self):
        """Answer requests until Ctrl-C or the end of the stream."""
        last = None
        while True:
            kind, sequence, payload = self.line.next_frame()
            if last is None or last[0] != (kind, sequence) or kind == INFO:
                self.sequence = sequence
                last = (kind, sequence), self.answer(kind, payload)
            self.line.send(last[1][0], sequence, last[1][1])

    def answer(self, kind, payload):
        """Return type and payload of the reply to a request."""
        try:
            return kind | frames.REPLY_BIT, self.handle(kind, payload)
        except (gradmote.RuntimeFault, Fault) as error:
            code = error.code
        except gradmote.DataError:
            code = frames.FAULTS["NO_SAMPLES"]
        except AttributeError:  # a module built without these methods
            code = frames.FAULTS["UNKNOWN_MESSAGE"]
        except MemoryError:
            code = frames.FAULTS["ARENA_TOO_SMALL"]
        except OSError:
            code = frames.FAULTS["FLASH"]
        return frames.ERROR_TYPE, struct.pack("<i", code)

    def handle(self, kind, payload):
        """Return the payload of the reply to a message."""
        if kind not in frames.MESSAGES:
            raise Fault("UNKNOWN_MESSAGE")
        name, request, is_open, reply = frames.MESSAGES[kind]
        size = struct.calcsize(request)
        if len(payload) < size or (len(payload) > size and not is_open):
            raise Fault("BAD_PAYLOAD")
        fields = struct.unpack_from(request, payload)
        rest = (payload[size:],) if is_open else ()
        values, tail = split(getattr(self, name.lower())(*fields, *rest))
        return struct.pack(reply, *values) + tail

    # ---- Information ------------------------------------------------------------------------------

    def info(self):
        """Return the properties of this board and of its model."""
        needs = self.needs or {}
        numbers = [needs.get(name, 0) for name in ("arena_size", "state_size", "parameters_size", "gradients_size")]
        programs = sum(1 << PROGRAMS.index(name) for name in needs.get("programs", ()))
        version = [int(part) for part in gradmote.__version__.split(".")]
        area = free_bytes(self.folder)
        size = os.stat(self.kept)[6] if exists(self.kept) and self.session else 0
        values = [frames.PROTOCOL, FRAME_LIMIT] + version + [int(gradmote.profile == "fused"), frames.FORMAT_VERSION]
        values += [1000000, self.status, len(self.image or b""), programs, needs.get("batch", 0)] + numbers
        values += list(self.image[16:32] if self.image else bytes(16))  # the model's id
        values += [self.arena_available(), area, area, size, self.line.errors, unique_id()] + [0] * 8
        return values, board_name()

    def arena_available(self):
        """Return the bytes available for a model's arena."""
        gc.collect()
        own = self.needs["arena_size"] if self.needs else 0
        return min(gc.mem_free() + own, U32_MAX) if hasattr(gc, "mem_free") else U32_MAX >> 2

    def build(self):
        """Return the contents of the runtime; a native module has no such function."""
        found = gradmote.build()
        return struct.unpack_from("<II", found) + tuple(found[8:])

    def mem(self):
        """Return the use of memory, as far as MicroPython reports it."""
        available = self.arena_available()
        used = gc.mem_alloc()
        own = self.needs["arena_size"] if self.needs else 0
        return available + used, used, 0, 0, available, own, 0, len(self.image or b"")

    def describe(self, program, role, index):
        """Return one tensor of one program."""
        tensor = self.tensor(program, role, index)
        shape = tensor["shape"]
        values = [frames.DTYPES.index(tensor["dtype"]), len(shape), int(tensor["lasts"]), tensor["size"]]
        values += list(shape) + [1] * (6 - len(shape))
        return values, (tensor["name"] or "").encode()[: FRAME_LIMIT - 40]

    def tensor(self, program, role, index):
        """Return one tensor of one program, as Session describes it."""
        session = self.opened()
        if program >= len(PROGRAMS) or role > OUTPUT:
            raise Fault("NOT_FOUND")
        name = PROGRAMS[program]
        found = (session.inputs, session.labels, lambda: session.outputs(name))[role]()
        found = [tensor for tensor in found if name in tensor["programs"]]
        if index >= len(found):
            raise Fault("NOT_FOUND")
        return found[index]

    # ---- Images -----------------------------------------------------------------------------------

    def image_begin(self, size):
        """Close the model, and take another image."""
        self.close_model()
        if size > free_bytes(self.folder):
            raise Fault("TOO_LARGE")
        if exists(self.model):
            os.remove(self.model)
        self.upload = Upload(self.model, size)
        return ()

    def image_data(self, offset, data):
        """Take the next chunk of an image."""
        if self.upload is None:
            raise Fault("OUT_OF_ORDER")
        self.upload.chunk(offset, data)
        return ()

    def image_end(self):
        """Open the received image; its file then replaces the old one."""
        if self.upload is None:
            raise Fault("OUT_OF_ORDER")
        upload, self.upload = self.upload, None
        part = upload.end()
        try:
            self.open_model(part)
        except gradmote.GradmoteError:
            os.remove(part)
            raise
        replace(part, self.model)
        return (int(self.load_kept()),)

    def image_resume(self):
        """Return how much of an image has arrived."""
        upload = self.upload
        return (upload.size, upload.received, upload.crc) if upload else (0, 0, 0)

    def update_begin(self, size):
        """Refuse, since two models at once may not fit into the heap."""
        raise Fault("NO_ROOM_TO_UPDATE")

    def update_end(self, carry):
        """Refuse, since no update has begun."""
        raise Fault("OUT_OF_ORDER")

    # ---- Samples ----------------------------------------------------------------------------------

    def view(self, role, index):
        """Return a view of an input or label, which then counts as written."""
        session = self.opened()
        if role > LABEL:
            raise Fault("NOT_FOUND")
        try:
            view = (session.input_view, session.label_view)[role](index)
        except gradmote.DataError:
            raise Fault("NOT_FOUND") from None
        self.written.add((role, index))
        return view

    def data(self, role, index, offset, data):
        """Write into an input or label."""
        view = self.view(role, index)
        width = width_of(view)
        if offset % width or len(data) % width or offset + len(data) > width * len(view):
            raise Fault("WRONG_SIZE")
        code = frames.TYPECODES[frames.DTYPES.index(self.dtype_name(role, index))]
        view[offset // width : (offset + len(data)) // width] = array(code, data)
        return ()

    def dtype_name(self, role, index):
        """Return the name of an input's or label's dtype."""
        session = self.session
        return (session.inputs, session.labels)[role]()[index]["dtype"]

    def data_u8(self, role, index, element, scale, zero, data):
        """Write into an input or label from one byte per element."""
        view, dtype = self.view(role, index), self.dtype_name(role, index)
        if element + len(data) > len(view) or dtype == "int16":
            raise Fault("WRONG_SIZE")
        rounded = array("f", [0.0])
        for at, byte in enumerate(data):
            rounded[0] = byte - zero
            signed = byte - 256 if dtype == "int8" and byte > 127 else byte
            view[element + at] = rounded[0] * scale if dtype == "float32" else signed
        return ()

    def require_samples(self, program):
        """Refuse a program if some of its inputs and labels were not sent."""
        session = self.session
        for role, tensors in ((INPUT, session.inputs()), (LABEL, session.labels())):
            for index, tensor in enumerate(tensors):
                if program in tensor["programs"] and (role, index) not in self.written:
                    raise Fault("NO_SAMPLES")

    # ---- Programs ---------------------------------------------------------------------------------

    def run(self, program):
        """Run a program to its end."""
        session = self.opened()
        if program >= len(PROGRAMS) or PROGRAMS[program] not in self.needs["programs"]:
            raise Fault("NO_PROGRAM")
        name = PROGRAMS[program]
        self.require_samples(name)
        session.begin(name)
        return self.finish(name)

    def replay(self, program):
        """Run a program on samples of the store."""
        session = self.opened()
        if program >= len(PROGRAMS):
            raise Fault("NO_PROGRAM")
        session.begin_replay(PROGRAMS[program])
        return self.finish(PROGRAMS[program])

    def finish(self, name):
        """Run the current program to its end, with a sign of life twice a second."""
        session = self.session
        before, start = session.instructions, ticks_us()
        alive = start
        while not session.run(SLICE):
            if ticks_diff(ticks_us(), alive) > ALIVE_TICKS:
                alive = ticks_us()
                done = (session.instructions - before) & U32_MAX
                self.line.send(frames.ALIVE_TYPE, self.sequence, struct.pack("<I", done))
        self.ticks = ticks_diff(ticks_us(), start)
        self.instructions = (session.instructions - before) & U32_MAX
        if name in ("eval", "train", "step"):
            self.loss = session.loss(name)
        if name in ("optimizer", "step"):
            self.keep_after_update()
        return self.metrics()

    def metrics(self):
        """Return the results of the last run."""
        now = self.opened().control()
        counters = now["train_steps"], now["optimizer_steps"], now["skipped_steps"]
        return (self.loss,) + counters + (now["learning_rate"], self.instructions, self.ticks)

    def learning_rate(self, rate):
        """Set the learning rate."""
        self.opened().learning_rate = rate
        return ()

    def schedule(self, rate, warmup_steps, total_steps):
        """Set a linear schedule."""
        self.opened().set_linear_schedule(rate, warmup_steps, total_steps)
        return ()

    def seed(self, seed):
        """Set the seed."""
        self.opened().set_seed(seed)
        return ()

    def lazy_reset(self):
        """Let the next gradients start from zero."""
        self.opened().lazy_reset_grad()
        return ()

    def reset_state(self):
        """Go back to the image's initial values."""
        self.opened().reset()
        return ()

    # ---- The sample store -------------------------------------------------------------------------

    def store(self):
        """Return the form of the sample store, and how many samples it holds."""
        found = self.opened().store()
        kind = frames.STORE_DTYPES.index(found["dtype"])
        return found["capacity"], found["classes"], kind, found["elements"], found["kept"], 0

    def store_class(self, label):
        """Return how many samples of a class were learned, and how many are in the store."""
        found = self.opened().store_class(label)
        return found["seen"], found["kept"]

    def learn(self, label):
        """Add the input's first sample to the store."""
        if (INPUT, 0) not in self.written:
            raise Fault("NO_SAMPLES")
        self.opened().learn(label)
        return ()

    def forget(self, label):
        """Remove a class from the store."""
        self.opened().forget(label)
        return ()

    def score(self, label):
        """Return how many samples of a class the store has, and how many are recognized."""
        return self.opened().score(label)

    def idle_training(self, on):
        """Refuse idle training, since this module waits for requests when it is idle."""
        if on:
            raise Fault("UNKNOWN_MESSAGE")
        return ()

    # ---- Checkpoints ------------------------------------------------------------------------------

    def save(self):
        """Store a checkpoint; the old one stays until the new one is complete."""
        session = self.opened()
        with open(self.kept + ".new", "wb") as file:
            size = session.save_to(file)
        replace(self.kept + ".new", self.kept)
        self.half = None
        return (size,)

    def load(self):
        """Return to the stored checkpoint."""
        session = self.opened()
        if not exists(self.kept):
            raise Fault("NO_CHECKPOINT")
        with open(self.kept, "rb") as file:
            session.load(file)
        return ()

    def checkpoint_begin(self, size):
        """Take a checkpoint from the host."""
        self.opened()
        if size > free_bytes(self.folder):
            raise Fault("TOO_LARGE")
        self.checkpoint = Upload(self.kept, size)
        return ()

    def checkpoint_data(self, offset, data):
        """Take the next chunk of a checkpoint."""
        if self.checkpoint is None:
            raise Fault("OUT_OF_ORDER")
        self.checkpoint.chunk(offset, data)
        return ()

    def checkpoint_end(self):
        """Load the received checkpoint, and store its state."""
        if self.checkpoint is None:
            raise Fault("OUT_OF_ORDER")
        upload, self.checkpoint = self.checkpoint, None
        name = upload.end()
        try:
            with open(name, "rb") as file:
                self.opened().load(file)
        finally:
            os.remove(name)
        self.save()
        return ()

    def save_every(self, updates):
        """Store a checkpoint after every `updates` updates."""
        session = self.opened()
        if updates > 0x7FFFFFFF:
            raise Fault("BAD_ARGUMENT")
        if updates:
            session.set_property("save_every", updates)
        elif "save_every" in session.properties():
            session.remove_property("save_every")
        return ()

    def every(self):
        """Return the number of updates between checkpoints, or 0 if autosave is off."""
        return self.session.properties().get("save_every", 0)

    def keep_after_update(self):
        """Store a checkpoint if one is due."""
        every = self.every()
        if every and self.session.control()["optimizer_steps"] % every == 0:
            try:
                self.save()
                self.saves_done += 1
                self.save_error = 0
            except OSError:
                self.save_error = frames.FAULTS["FLASH"]

    def saves(self):
        """Return the results of save_every()."""
        self.opened()
        return self.every(), 2, self.saves_done, self.save_error

    # ---- Rounds of federated learning -------------------------------------------------------------

    def round(self):
        """Return the number of the round."""
        return (self.opened().round,)

    def round_begin(self, number):
        """Make the current parameters the base of a round, and store them."""
        session = self.opened()
        session.begin_round(number)
        if number:
            self.keep_base()
        else:
            self.save()
            for name in (self.base, self.base + ".new"):
                if exists(name):
                    os.remove(name)
        return ()

    def delta(self, bits, seed, offset, length, shared):
        """Return a part of the difference from the base. A request for its first part computes it."""
        what = bits, seed, bytes(shared)
        if offset == 0 or self.sent is None or self.sent[0] != what:
            self.sent = what, self.opened().round_delta(bits, seed, what[2])
        return part_of(memoryview(self.sent[1]), 1, offset, length)

    def delta_begin(self, size):
        """Take the delta to the next base."""
        self.opened()
        if size > free_bytes(self.folder):
            raise Fault("TOO_LARGE")
        self.received = Upload(self.down, size)
        return ()

    def delta_data(self, offset, data):
        """Take the next chunk of the delta."""
        if self.received is None:
            raise Fault("OUT_OF_ORDER")
        self.received.chunk(offset, data)
        return ()

    def delta_end(self, bits, seed):
        """Go on to the base of the next round, and store it."""
        if self.received is None:
            raise Fault("OUT_OF_ORDER")
        upload, self.received = self.received, None
        name = upload.end()
        try:
            with open(name, "rb") as file:
                number = self.opened().end_round(file.read(), bits, seed)
        finally:
            os.remove(name)
        self.keep_base()
        return (number,)

    def reboot(self):
        """Start again from the files."""
        self.start()
        return ()

    # ---- Reading ----------------------------------------------------------------------------------

    def read(self, source, program, role, index, offset, length):
        """Return a part of a tensor, of the state or of a file."""
        session = self.opened()
        if source in (frames.SOURCES["CHECKPOINT"], frames.SOURCES["CHECKPOINT_HALF"]):
            return self.read_checkpoint(source == frames.SOURCES["CHECKPOINT_HALF"], offset, length)
        if source == frames.SOURCES["IMAGE"]:
            return part_of(memoryview(self.image), 1, offset, length)
        if source == frames.SOURCES["STATE"]:
            return part_of(session.state(), 1, offset, length)
        view = self.source_view(source, program, role, index)
        return part_of(view, width_of(view), offset, length)

    def source_view(self, source, program, role, index):
        """Return the view that a request reads from."""
        session = self.session
        if source == frames.SOURCES["PARAMETERS"]:
            return session.parameters()
        if source == frames.SOURCES["PARAMETER"]:
            return session.parameter(index)
        if source == frames.SOURCES["GRADIENT"]:
            return session.gradient(index)
        if source != frames.SOURCES["TENSOR"]:
            raise Fault("BAD_PAYLOAD")
        tensor = self.tensor(program, role, index)
        if role == OUTPUT:
            return session.output(index, PROGRAMS[program])
        if not tensor["lasts"]:
            raise Fault("NOT_FOUND")
        return (session.input_view, session.label_view)[role](index)

    def read_checkpoint(self, half, offset, length):
        """Return a part of the stored checkpoint, plain or in half the bytes."""
        if not exists(self.kept):
            raise Fault("NO_CHECKPOINT")
        if half:
            if offset == 0 or self.half is None:
                self.half = self.packed()
            return part_of(memoryview(self.half), 1, offset, length)
        total = os.stat(self.kept)[6]
        if offset > total:
            raise Fault("BAD_PAYLOAD")
        with open(self.kept, "rb") as file:
            file.seek(offset)
            return (total,), file.read(min(length, total - offset, FRAME_LIMIT - 4))

    def packed(self):
        """Return the stored checkpoint in half the bytes, and restore the session's own state."""
        session = self.session
        now = session.save()
        self.load()
        try:
            return session.save(True)
        finally:
            session.load(now)


def split(reply):
    """Return the values of a reply, and the bytes after them."""
    if len(reply) == 2 and isinstance(reply[1], bytes):
        return reply
    return reply, b""


def width_of(view):
    """Return the size in bytes of an item of a view that has items."""
    return len(bytes(view[:1]))


def part_of(view, width, offset, length):
    """Return the reply to READ of a view with items of `width` bytes."""
    total = width * len(view)
    if offset > total or length > FRAME_LIMIT - 4:
        raise Fault("BAD_PAYLOAD")
    end = min(offset + length, total)
    first = offset // width
    items = bytes(view[first : (end + width - 1) // width])
    return (total,), items[offset - first * width : end - first * width]


def unique_id():
    """Return a number that is unique among parts of this kind, or 0 if there is none."""
    try:
        import machine

        return int.from_bytes(machine.unique_id()[:8], "little")
    except (ImportError, AttributeError):
        return 0


def board_name():
    """Return the name of this board."""
    machine = getattr(sys.implementation, "_machine", sys.platform)
    return ("MicroPython on " + machine).encode()


def serve(folder="", stream_in=None, stream_out=None):
    """Serve until Ctrl-C or the end of the input. folder: of model and checkpoint."""
    line = Line(stream_in or sys.stdin.buffer, stream_out or sys.stdout.buffer)
    interrupt(-1)
    try:
        make_raw()
        Board(line, folder).serve()
    except (EOFError, KeyboardInterrupt):
        pass
    finally:
        interrupt(3)


def interrupt(key):
    """Choose the byte that stops a program; -1 for none, since any byte may be in a frame."""
    try:
        import micropython

        micropython.kbd_intr(key)
    except (ImportError, AttributeError):
        pass


def make_raw():
    """Let all bytes through if stdin is a computer's terminal."""
    try:
        import termios

        termios.setraw(0)
    except (ImportError, AttributeError, OSError):
        pass
