"""Runs one command and writes what its whole process tree cost.

Usage: measure.py RESULT.json LIMIT_SECONDS ENVIRONMENT COMMAND...

ENVIRONMENT is a JSON object: all that the command finds in its environment. It is an argument because what starts Python may
add variables of its own.

CPU is user plus system time of the child and of all its descendants that were waited for, from `wait4`. Peak memory is the
largest resident set of one process, or, where the tree has several, the largest sampled sum of their proportional sets, so
that pages shared after a fork count once. The command's standard output is passed through. A command past the limit is
killed with its process group.
"""

import json
import os
import signal
import sys
import threading
import time

SAMPLE_SECONDS = 0.05


def descendants(root):
    found, queue = [], [root]
    while queue:
        pid = queue.pop()
        found.append(pid)
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as children:
                    queue.extend(map(int, children.read().split()))
        except OSError:  # It has ended meanwhile.
            continue
    return found


def proportional_bytes(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup") as rollup:
            for line in rollup:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


class TreeSampler(threading.Thread):
    """Samples the tree's memory, and only while the tree has more than one process."""

    def __init__(self, root):
        super().__init__(daemon=True)
        self.root = root
        self.peak_bytes = 0
        self.processes_max = 1
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(SAMPLE_SECONDS):
            pids = descendants(self.root)
            if len(pids) > 1:
                self.processes_max = max(self.processes_max, len(pids))
                self.peak_bytes = max(self.peak_bytes, sum(map(proportional_bytes, pids)))


def main():
    result_path, limit_seconds, environment, *command = sys.argv[1:]
    limit_seconds, environment = float(limit_seconds), json.loads(environment)
    started = time.perf_counter()
    # `setpgroup` rather than a fork of our own: the child does not inherit this program's resident set.
    pid = os.posix_spawnp(command[0], command, environment, setpgroup=0)
    timed_out = threading.Event()

    def stop():
        timed_out.set()
        os.killpg(pid, signal.SIGKILL)

    limit = threading.Timer(limit_seconds, stop)
    limit.daemon = True
    limit.start()
    sampler = TreeSampler(pid)
    sampler.start()
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - started
    limit.cancel()
    sampler.ended.set()
    sampler.join()

    with open(result_path, "w", encoding="utf-8") as result:
        json.dump(
            {
                "exitCode": os.waitstatus_to_exitcode(status),
                "timedOut": timed_out.is_set(),
                "cpuSeconds": usage.ru_utime + usage.ru_stime,
                "wallSeconds": wall,
                "peakBytes": max(usage.ru_maxrss * 1024, sampler.peak_bytes),
                "processesMax": sampler.processes_max,
            },
            result,
        )


main()
