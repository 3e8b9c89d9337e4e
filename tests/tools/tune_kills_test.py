"""A tuner, or a process that it has started, is killed at random moments, again and again, each time going on.

No sample is lost that the tuner has told of, none is there twice, the store is whole and nothing is left running.
Arguments: CRYOLITE PLUGIN BLUR FOLDER [KILLS [SEED]].
"""

import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

QUICK = ["--seconds", "0.05", "--final-seconds", "0.3", "autoscheduler.beam_size=4", "autoscheduler.tilings=8",
         "autoscheduler.num_passes=2"]
LONGEST_LIFE = 5.0  # seconds: a round of such a tuner takes less


def children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def below(pid):
    found = []
    for child in children(pid):
        found += [child] + below(child)
    return found


def running_in(folder):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                if folder.encode() in file.read() and int(pid) != os.getpid():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def events_in(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):  # the last may have been cut off
                yield json.loads(line)


def samples_in(cryolite, store):
    """How often each is there, by (problem, trace, repeat), and how many of each trace."""
    lines = subprocess.run([cryolite, "store", "export", store], check=True, capture_output=True).stdout
    found, problem = collections.Counter(), 0
    for line in map(json.loads, lines.splitlines()):
        problem += "problem" in line
        if "sample" in line:
            found[problem, line["sample"]["trace"], line["sample"]["repeat"]] += 1
    return found


def main(cryolite, plugin, blur, folder, kills="100", seed="1"):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chdir(folder)
    folder = os.getcwd()
    command = [cryolite, "tune", blur, "-g", "blur", "-o", folder + "/tuned", "--plugin", plugin, "--json", *QUICK]
    store = folder + "/tuned/tune.sqlite"
    # What all are measured beside is known from here on, so that few die before they have measured anything.
    subprocess.run(command + ["--budget", "3"], check=True, capture_output=True)
    choose = random.Random(int(seed))
    told = collections.Counter()  # by trace
    victims = collections.Counter()
    for number in range(int(kills)):
        with open("out", "wb") as out, open("err", "ab") as err:
            tuner = subprocess.Popen(command + ["--budget", "1h"], stdout=out, stderr=err)
            time.sleep(choose.uniform(0, LONGEST_LIFE))
            others = below(tuner.pid) if choose.random() < 0.5 else []
            if others:
                victim = choose.choice(others)
                kill(victim)
                time.sleep(choose.uniform(0, LONGEST_LIFE))
            victims["a child" if others else "the tuner"] += 1
            tuner.kill()
            tuner.wait()
        for event in events_in("out"):
            if event["event"] == "sample":
                told[event["trace"]] += 1
        for _ in range(100):
            if not running_in(folder + "/tuned"):
                break
            time.sleep(0.1)
        assert not running_in(folder + "/tuned"), "left running after kill %d: %s" % (number, running_in(folder + "/tuned"))
        if os.path.exists(store):
            kept = samples_in(cryolite, store)
            assert max(kept.values(), default=1) == 1, "a sample is there twice"
            by_trace = collections.Counter(trace for _, trace, _ in kept)
            lost = {trace: (n, by_trace[trace]) for trace, n in told.items() if by_trace[trace] < n}
            assert not lost, "after kill %d these were told of and are not there: %s" % (number, lost)
    checked = subprocess.run([cryolite, "store", "check", store], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    last = subprocess.run(command + ["--budget", "3"], capture_output=True, text=True)
    assert last.returncode == 0, last.stderr
    assert os.path.getsize("tuned/best.trace") > 0
    print("killed %s; %d samples were told of, and all are there" % (dict(victims), sum(told.values())))


if __name__ == "__main__":
    main(*sys.argv[1:])
