"""The loop nest out of what the plugin logs at level info."""

PREFIX = "Cryolite: "
HEAD = PREFIX + "loops:"


def loop_nest(log):
    """The lines between the log's `loops:` and the next message; empty if there are none."""
    lines = log.splitlines()
    if HEAD not in lines:
        return []
    nest = []
    for line in lines[lines.index(HEAD) + 1 :]:
        if line.startswith(PREFIX):
            break
        nest.append(line)
    while nest and not nest[-1].strip():
        nest.pop()
    return nest
