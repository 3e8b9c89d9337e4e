"""`cryolite tune` in a terminal of 50 columns: a table that is written over itself. Arguments: CRYOLITE PLUGIN BLUR FOLDER."""

import fcntl
import os
import pty
import re
import shutil
import struct
import sys
import termios

COLUMNS = 50


def shown_in_terminal(command):
    """All that the terminal was sent, and the exit status."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        os.execv(command[0], command)
    said = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # how Linux says that nobody is left on the other side
            break
        if not chunk:
            break
        said += chunk
    return said.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(cryolite, plugin, blur, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chdir(folder)
    said, status = shown_in_terminal(
        [cryolite, "tune", blur, "-g", "blur", "-o", "tuned", "--plugin", plugin, "--budget", "4", "--seconds", "0.05",
         "--final-seconds", "0.3", "autoscheduler.beam_size=4", "autoscheduler.tilings=8", "autoscheduler.num_passes=2"]
    )
    assert status == 0, said
    tables, _, result = said.rpartition("ended by:")
    assert re.search(r"\x1b\[\d+A\x1b\[J", tables), "no table was written over: %r" % said
    for word in ("round 0", "tried", "best", "of one shot"):
        assert word in tables, (word, said)
    assert "best:" in result, result
    lines = re.sub(r"\x1b\[[0-9]*[A-Z]", "", tables).split("\r\n")
    assert max(map(len, lines)) <= COLUMNS, [line for line in lines if len(line) > COLUMNS]
    # As many lines up as the table before had: else tables would pile up, or eat what stands above them.
    pieces = re.split(r"\x1b\[(\d+)A\x1b\[J", tables)
    for table, up in zip(pieces[0::2], pieces[1::2]):
        assert table.count("\r\n") == int(up), (table, up)


if __name__ == "__main__":
    main(*sys.argv[1:])
