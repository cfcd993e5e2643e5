"""An independent client of a fleet, after env_spec/shared_memory.md: mmap, fcntl, futexes by ctypes."""

import ctypes
import fcntl
import json
import mmap
import os
import platform
import struct

import numpy as np

LAYOUT = 1
SERVING = 1
STATE, DOORBELL, MAILBOXES = 128, 192, 4096
REQUEST, COMMAND, REPLY, STATUS, CLIENT_PID = 0, 4, 64, 68, 128
STEP, STEP_SOME, STEP_SAMPLED, SAMPLE, RESET, RESET_SOME, SAVE, RESTORE, BOTS, BOTS_SOME = range(1, 11)

# <fcntl.h>; Python names these constants only from 3.12 on.
F_OFD_GETLK, F_OFD_SETLK = 36, 37
# <linux/futex.h>
FUTEX_WAIT, FUTEX_WAKE = 0, 1
SYS_FUTEX = {"x86_64": 202, "aarch64": 98}[platform.machine()]

libc = ctypes.CDLL(None, use_errno=True)


class Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


class FleetGone(Exception):
    pass


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Client:
    """An open segment; ``columns`` are arrays over all its games."""

    def __init__(self, name):
        self.file = os.open(f"/dev/shm/ludovec.{name}", os.O_RDWR | os.O_CLOEXEC)
        self.memory = mmap.mmap(self.file, os.fstat(self.file).st_size)
        magic, version, self.pid, total = struct.unpack_from("<8sIIQ", self.memory, 0)
        assert magic == b"ludoshm\0" and version == LAYOUT and total == len(self.memory)
        self.num_envs, self.num_blocks, self.block_games, num_columns = struct.unpack_from(
            "<4I", self.memory, 24
        )
        columns, document, document_bytes, self.transfer, self.transfer_bytes = struct.unpack_from(
            "<5Q", self.memory, 40
        )
        self.document = json.loads(self.memory[document : document + document_bytes])
        self.columns = {}
        for k in range(num_columns):
            name, dtype, offset, size, axes, _ = struct.unpack_from(
                "<32s16sQQII", self.memory, columns + 128 * k
            )
            shape = struct.unpack_from("<6Q", self.memory, columns + 128 * k + 72)[:axes]
            dtype = np.dtype(dtype.rstrip(b"\0").decode())
            assert int(np.prod(shape)) * dtype.itemsize == size and shape[0] == self.num_envs
            self.columns[name.rstrip(b"\0").decode()] = np.frombuffer(
                self.memory, dtype, size // dtype.itemsize, offset
            ).reshape(shape)
        self.check()

    def games(self, block):
        """The rows of a block."""
        first = block * self.block_games
        return slice(first, min(first + self.block_games, self.num_envs))

    def claim(self, block):
        """Claims a block; returns True on success."""
        mailbox = MAILBOXES + 256 * block
        try:
            fcntl.fcntl(self.file, F_OFD_SETLK, _lock(fcntl.F_WRLCK, mailbox + CLIENT_PID))
        except OSError:
            return False
        struct.pack_into("<I", self.memory, mailbox + CLIENT_PID, os.getpid())
        return True

    def release(self, block):
        fcntl.fcntl(self.file, F_OFD_SETLK, _lock(fcntl.F_UNLCK, MAILBOXES + 256 * block + CLIENT_PID))

    def check(self):
        """Raises unless the fleet is serving."""
        answer = fcntl.fcntl(self.file, F_OFD_GETLK, _lock(fcntl.F_WRLCK, 0))
        if struct.unpack_from("<h", answer)[0] == fcntl.F_UNLCK:
            raise FleetGone("died")
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            raise FleetGone("died") from None
        except PermissionError:
            pass
        if os.fstat(self.file).st_size != len(self.memory) or self._word(STATE).value != SERVING:
            raise FleetGone("stopped")

    def request(self, block, command, *, actions=None, ids=(), seed=None, payload=b"", sampled=False):
        """Sends a request and waits for the answer: the bytes in the transfer area.

        ``sampled``: the row of ``next_sample`` for the block was used.
        """
        mailbox, rows, transfer = (
            MAILBOXES + 256 * block,
            self.games(block),
            self.transfer + block * self.transfer_bytes,
        )
        number = self._word(mailbox + REQUEST)
        self._wait(mailbox + REPLY, number.value)
        if actions is not None:
            self.columns["actions"][rows][: len(actions)] = actions
        self.columns["ids"][rows][: len(ids)] = ids
        self.memory[transfer : transfer + len(payload)] = payload
        flags = (seed is not None) + 2 * sampled
        struct.pack_into(
            "<IIIQQ", self.memory, mailbox + COMMAND, command, len(ids), flags, seed or 0, len(payload)
        )
        sequence = (number.value + 1) % 2**32
        # On x86-64 and under the GIL, stores become visible in this order.
        number.value = sequence
        # Python cannot add atomically: a wake-up may be lost between clients; the fleet recovers in 100 ms.
        self._word(DOORBELL).value += 1
        _futex(self._word(DOORBELL), FUTEX_WAKE, 1)
        self._wait(mailbox + REPLY, sequence)
        status, answered = struct.unpack_from("<IQ", self.memory, mailbox + STATUS)
        answer = self.memory[transfer : transfer + min(answered, self.transfer_bytes)]
        if status:
            raise Refused(status, answer.decode())
        return answer

    def _wait(self, offset, value):
        word = self._word(offset)
        while (seen := word.value) != value:
            _futex(word, FUTEX_WAIT, seen, Timespec(0, 100_000_000))
            if word.value == seen:
                self.check()

    def _word(self, offset):
        return ctypes.c_uint32.from_buffer(self.memory, offset)


def _lock(kind, offset):
    """`struct flock` of 64-bit Linux."""
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, offset, 1, 0)


def _futex(word, operation, value, timeout=None):
    libc.syscall(
        ctypes.c_long(SYS_FUTEX),
        ctypes.byref(word),
        ctypes.c_int(operation),
        ctypes.c_uint32(value),
        ctypes.byref(timeout) if timeout else None,
        None,
        0,
    )
