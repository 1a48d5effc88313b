# One program of the user's on this node. It dies with the process that started it.
import ctypes
import os
import queue
import signal
import subprocess
import threading
import time

LINE_BYTES = 65536
LINES_AT_ONCE = 2000
OWN_VARIABLES = ('TRAINYARD_LAUNCH_STATE', 'TRAINYARD_LAUNCH_LOG')


def environment_of(process):
    """Environment of a process, given its folder in /proc."""
    with open(process + 'environ', 'rb') as file:
        entries = [entry.decode('utf-8', 'surrogateescape').partition('=') for entry in file.read().split(b'\0') if entry]
    return {name: value for name, _, value in entries}


class Program:
    def __init__(self, container):
        """container is the environment of the container that the program runs in."""
        self.state, self.log = (container.get(name) for name in OWN_VARIABLES)
        self.base = {name: value for name, value in container.items() if name not in OWN_VARIABLES}
        self.process, self.code = None, None
        self.lines = queue.Queue(maxsize=10000)

    def start(self, command, env, folder):
        self.code = None
        # The kernel's "parent" is a thread: this one lives as long as the program.
        threading.Thread(target=self._keep, args=(command, env, folder), daemon=True).start()

    def poll(self, seconds):
        """New lines, after at most some seconds, and the exit code when the last line has been told."""
        found = []
        try:
            if self.code is None or not self.lines.empty():
                found.append(self.lines.get(timeout=seconds))
            while len(found) < LINES_AT_ONCE:
                found.append(self.lines.get_nowait())
        except queue.Empty:
            pass
        # In this order: the code is set when the last line is there.
        code = self.code
        return found, code if self.lines.empty() else None

    def is_terminating(self):
        """Whether the pod has been asked to go: then the program's end is no failure of its own."""
        return bool(self.state) and os.path.exists(os.path.join(self.state, 'terminating'))

    def stop(self, grace):
        """SIGTERM to the program, as a kubelet does it, and SIGKILL to all of it after a grace period."""
        process = self.process
        if process is None or self.code is not None:
            return
        self._signal(process.send_signal, signal.SIGTERM)
        deadline = time.monotonic() + grace
        while self.code is None and time.monotonic() < deadline:
            time.sleep(0.05)
        self._signal(lambda number: os.killpg(process.pid, number), signal.SIGKILL)

    @staticmethod
    def _signal(send, number):
        try:
            send(number)
        except ProcessLookupError:
            pass

    def _keep(self, command, env, folder):
        libc = ctypes.CDLL(None)
        try:
            self.process = process = subprocess.Popen(
                command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                start_new_session=True, preexec_fn=lambda: libc.prctl(1, signal.SIGKILL))
        except OSError as error:
            self.lines.put('cannot start %s: %s' % (command[0], error))
            self.code = 127 if isinstance(error, FileNotFoundError) else 126
            return
        self._note_pid(process.pid)
        reader = threading.Thread(target=self._read, args=(process.stdout,), daemon=True)
        reader.start()
        code = process.wait()
        # What the program left running may hold the pipe open.
        reader.join(2)
        self._note_pid(None)
        self.code = code if code >= 0 else 128 - code

    def _read(self, stream):
        log = self._open_log()
        for line in iter(lambda: stream.readline(LINE_BYTES), b''):
            if log is not None:
                try:
                    log.write(line)
                except OSError:
                    log = None
            self.lines.put(line.decode('utf-8', 'replace').rstrip('\n'))

    def _open_log(self):
        try:
            return open(self.log, 'ab', buffering=0) if self.log else None
        except OSError:
            return None

    def _note_pid(self, pid):
        if not self.state:
            return
        path = os.path.join(self.state, 'pid')
        try:
            if pid is None:
                os.remove(path)
            else:
                with open(path, 'w') as file:
                    file.write('%d\n' % pid)
        except OSError:
            pass
