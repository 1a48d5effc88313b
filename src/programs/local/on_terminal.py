"""Runs a program on a terminal of its own, as `exec --tty` asks for one.

Standard input is what is typed, standard output what the terminal shows. Each line `COLUMNS ROWS` on descriptor 3 is a new size of the terminal.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios

SIZES = 3
FIRST_SIZE_SECONDS = 1
CHUNK = 65536


def size_in(lines):
    """The last size of some lines, as the system takes it; None where there is none."""
    complete = [line.split() for line in lines.split(b'\n')[:-1]]
    if not complete:
        return None
    columns, rows = complete[-1]
    return struct.pack('HHHH', int(rows), int(columns), 0, 0)


def main(command):
    """Runs a command to its end and returns its exit code, as shells have it."""
    first = None
    if select.select([SIZES], [], [], FIRST_SIZE_SECONDS)[0]:
        first = size_in(os.read(SIZES, CHUNK))
    child, terminal = pty.fork()
    if child == 0:
        if first is not None:
            fcntl.ioctl(0, termios.TIOCSWINSZ, first)
        try:
            os.close(SIZES)
            os.execvp(command[0], command)
        except OSError as error:
            print(f'{command[0]}: {error.strerror}', file=sys.stderr)
        os._exit(127)
    relay(terminal)
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def relay(terminal):
    """Passes on what is typed and shown, until the program has closed its terminal."""
    sources = [terminal, 0, SIZES]
    while True:
        for ready in select.select(sources, [], [])[0]:
            try:
                data = os.read(ready, CHUNK)
            except OSError:
                # Linux answers so when nobody has the other side any more.
                data = b''
            if ready == terminal:
                if not data:
                    return
                write(1, data)
            elif not data:
                sources.remove(ready)
            elif ready == 0:
                write(terminal, data)
            else:
                size = size_in(data)
                if size is not None:
                    fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)


def write(descriptor, data):
    """Writes all of it."""
    while data:
        data = data[os.write(descriptor, data):]


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
