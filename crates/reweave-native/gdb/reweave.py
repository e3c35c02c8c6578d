# Commands for a replay in gdb. Reads and writes the program's memory and never calls its functions: a call would run the program,
# and on some machines gdb cannot make one. `reweave replay --gdb` loads this file.
import os
import re
import struct
import subprocess

import gdb

MODES = ["off", "recording", "replay", "serial recording", "replay", "experiment"]
STATES = {1: "runnable", 2: "blocked", 3: "outside", 4: "ended"}
REASONS = ["callback", "instruction", "blocked", "outside", "yielded", "ended"]
INSTRUCTION = 1
SERIAL_REPLAY, EXPERIMENT = 4, 5
# Offsets in the records of threads and switches; xtask compares them with the library's.
THREAD = struct.Struct("<IIIIQqQQ")
SWITCH = struct.Struct("<IIQQIIQ")


def address(name):
    language = gdb.parameter("language")
    gdb.execute("set language c", to_string=True)
    try:
        return int(gdb.parse_and_eval("(unsigned long)&" + name))
    except gdb.error:
        raise gdb.GdbError("the program does not run yet: type `reweave start`")
    finally:
        gdb.execute("set language " + language, to_string=True)


def read(where, length):
    return bytes(gdb.selected_inferior().read_memory(where, length))


def write(where, data):
    gdb.selected_inferior().write_memory(where, data)


def u32(name):
    return struct.unpack("<I", read(address(name), 4))[0]


def u64(name):
    return struct.unpack("<Q", read(address(name), 8))[0]


def set_u32(name, value):
    write(address(name), struct.pack("<I", value))


def set_u64(name, value):
    write(address(name), struct.pack("<Q", value))


class Thread:
    """A thread of the program, by its number in the recording."""

    def __init__(self, number):
        if not 1 <= number <= u32("reweave_thread_count"):
            raise gdb.GdbError("there is no thread %d" % number)
        self.number = number
        self.record = struct.unpack("<Q", read(address("reweave_threads") + 8 * number, 8))[0]
        values = THREAD.unpack(read(self.record, THREAD.size))
        (_, self.state, _, self.kernel, self.countdown, self.base, self.object, _) = values

    @staticmethod
    def all():
        return [Thread(number) for number in range(1, u32("reweave_thread_count") + 1)]

    @staticmethod
    def current():
        number = u32("reweave_current")
        if number == 0:
            raise gdb.GdbError("no thread has the processor")
        return Thread(number)

    def left(self):
        return struct.unpack("<q", read(self.countdown, 8))[0]

    def blocks(self):
        return self.base - self.left() if self.countdown and self.state != 4 else None

    def stop_after(self, blocks):
        """Shortens the countdown, if it would be over later."""
        if blocks < self.left():
            write(self.record + 24, struct.pack("<q", self.blocks() + blocks))
            write(self.countdown, struct.pack("<q", blocks))

    def in_gdb(self):
        for thread in gdb.selected_inferior().threads():
            if thread.ptid[1] == self.kernel:
                return thread
        return None


def schedule():
    length = u64("reweave_schedule_length")
    if length == 0:
        return []
    data = read(u64("reweave_schedule"), SWITCH.size * length)
    return list(SWITCH.iter_unpack(data))


def thread_number(text):
    try:
        return int(text.strip().lstrip("t"))
    except ValueError:
        raise gdb.GdbError("`%s` is no thread; see `info reweave`" % text)


def follow_the_thread():
    """Selects the thread that has the processor."""
    thread = Thread.current().in_gdb()
    if thread is not None and gdb.selected_thread() != thread:
        thread.switch()


class Reweave(gdb.Command):
    """Commands for a replay: start, switch, until, next-switch, block, break, thread, schedule, save."""

    def __init__(self):
        super().__init__("reweave", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE, True)


class Start(gdb.Command):
    """reweave start: begin the replay and stop at main."""

    def __init__(self):
        super().__init__("reweave start", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute("tbreak main")
        gdb.execute("run")


class Info(gdb.Command):
    """info reweave: where the replay is, and what every thread does."""

    def __init__(self):
        super().__init__("info reweave", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        current = u32("reweave_current")
        position, length = u64("reweave_position"), u64("reweave_schedule_length")
        print("%s, switch %d of %d" % (MODES[u32("reweave_mode")], position, length))
        for thread in Thread.all():
            known = thread.in_gdb()
            line = "%s %d  gdb %s  %-8s" % (
                "*" if thread.number == current else " ",
                thread.number,
                known.num if known else "-",
                STATES.get(thread.state, "?"),
            )
            blocks = thread.blocks()
            if blocks is not None:
                line += "  block %d" % blocks
            if thread.state == 2 and thread.object:
                records = {other.record: other.number for other in Thread.all()}
                joined = records.get(thread.object)
                line += "  waits for thread %d" % joined if joined else "  waits for %#x" % thread.object
            print(line)
        recorded = schedule()
        if u32("reweave_mode") == SERIAL_REPLAY and position < len(recorded):
            print("next: " + describe(recorded[position]))


def describe(switch):
    thread, following, blocks, where, _, reason, _ = switch
    line = "thread %d to thread %d, %s at block %d" % (thread, following, REASONS[reason], blocks)
    return line + (" (%#x)" % where if where else "")


class Switch(gdb.Command):
    """reweave switch N: thread N goes on, from this very instruction on. Leaves the recording: what follows is an experiment."""

    def __init__(self):
        super().__init__("reweave switch", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        target = Thread(thread_number(argument))
        if target.number == u32("reweave_current"):
            raise gdb.GdbError("thread %d has the processor already" % target.number)
        if target.state != 1:
            raise gdb.GdbError("thread %d is %s" % (target.number, STATES.get(target.state, "?")))
        follow_the_thread()
        set_u32("reweave_force", target.number)
        # Where there are no callbacks the switch comes with the next block.
        Thread.current().stop_after(1)
        gdb.execute("queue-signal SIG45")
        print("thread %d goes on when you continue" % target.number)


class Until(gdb.Command):
    """reweave until N: run until N switches have been made."""

    def __init__(self):
        super().__init__("reweave until", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        wanted = int(argument)
        if wanted <= u64("reweave_position"):
            raise gdb.GdbError("%d switches have been made already; `reweave start` begins again" % u64("reweave_position"))
        set_u64("reweave_stop_position", wanted)
        stop_at("reweave_on_position")


class NextSwitch(gdb.Command):
    """reweave next-switch: run until another thread goes on."""

    def __init__(self):
        super().__init__("reweave next-switch", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        stop_at("reweave_on_switch")


def stop_at(function):
    stop = gdb.Breakpoint(function, internal=True, temporary=True)
    stop.silent = True
    gdb.execute("continue")
    if stop.is_valid():
        stop.delete()
    if gdb.selected_inferior().pid:
        print("switch %d" % u64("reweave_position"))


class Block(gdb.Command):
    """reweave block THREAD N: run until the thread has executed N blocks. The program counts by itself, at full speed."""

    def __init__(self):
        super().__init__("reweave block", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) != 2:
            raise gdb.GdbError("reweave block THREAD N")
        run_to_block(Thread(thread_number(words[0])), int(words[1]))


def run_to_block(thread, wanted):
    done = thread.blocks()
    if done is not None and done >= wanted:
        raise gdb.GdbError("thread %d has executed %d blocks already" % (thread.number, done))
    set_u64("reweave_stop_blocks", wanted)
    set_u32("reweave_stop_thread", thread.number)
    if thread.number == u32("reweave_current"):
        thread.stop_after(wanted - done)
    stop = gdb.Breakpoint("reweave_on_block", internal=True, temporary=True)
    stop.silent = True
    gdb.execute("continue")
    if stop.is_valid():
        stop.delete()


class Break(gdb.Command):
    """reweave break THREAD N LOCATION: stop at LOCATION in that thread once it has executed N blocks.
    What `break LOCATION thread THREAD if $bb() == N` means, without gdb looking at every hit."""

    def __init__(self):
        super().__init__("reweave break", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) != 3:
            raise gdb.GdbError("reweave break THREAD N LOCATION")
        thread = Thread(thread_number(words[0]))
        run_to_block(thread, int(words[1]))
        known = thread.in_gdb()
        gdb.execute("tbreak %s thread %d" % (words[2], known.num))
        gdb.execute("continue")


class Select(gdb.Command):
    """reweave thread: select the thread that has the processor."""

    def __init__(self):
        super().__init__("reweave thread", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        follow_the_thread()
        gdb.execute("thread")


class ShowSchedule(gdb.Command):
    """reweave schedule [FROM [COUNT]]: the recorded switches."""

    def __init__(self):
        super().__init__("reweave schedule", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        words = [int(word) for word in gdb.string_to_argv(argument)]
        first = words[0] if words else max(0, u64("reweave_position") - 5)
        count = words[1] if len(words) > 1 else 20
        for index, switch in list(enumerate(schedule()))[first : first + count]:
            mark = ">" if index == u64("reweave_position") else " "
            print("%s %6d  %s" % (mark, index + 1, describe(switch)))


class Save(gdb.Command):
    """reweave save FILE: what has happened so far, experiments included, as a recording."""

    def __init__(self):
        super().__init__("reweave save", gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) != 1:
            raise gdb.GdbError("reweave save FILE")
        command = [os.environ["REWEAVE_COMMAND"], "seal", os.environ["REWEAVE_AS_RUN"], words[0]]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise gdb.GdbError(done.stderr.strip())
        print("saved %s" % words[0])


class Blocks(gdb.Function):
    """$bb([N]): blocks that the thread that has the processor, or thread N, has executed."""

    def __init__(self):
        super().__init__("bb")

    def invoke(self, number=None):
        thread = Thread.current() if number is None else Thread(int(number))
        return thread.blocks()


class AtBlock(gdb.Breakpoint):
    """Lets gdb look at a breakpoint's condition only while its thread is in the block that the condition asks for."""

    def __init__(self, target, thread, wanted):
        super().__init__("reweave_on_block", internal=True)
        self.target, self.thread_number, self.wanted = target, thread.number, wanted
        target.enabled = False
        self.ask(thread, wanted)

    def ask(self, thread, wanted):
        set_u64("reweave_stop_blocks", wanted)
        set_u32("reweave_stop_thread", self.thread_number)
        if self.thread_number == u32("reweave_current"):
            thread.stop_after(wanted - thread.blocks())

    def stop(self):
        if not self.target.is_valid():
            return False
        thread = Thread(u32("reweave_current"))
        if thread.number == self.thread_number:
            inside = thread.blocks() == self.wanted
            self.target.enabled = inside
            if inside:
                set_u64("reweave_stop_blocks", self.wanted + 1)
        return False


BLOCK_CONDITION = re.compile(r"^\s*\$bb\(\)\s*==\s*(\d+)\s*$")
compiled = set()


def compile_conditions(*_):
    """`break LOCATION thread T if $bb() == N`, the paper's breakpoint: gdb would stop the thread at every hit to look at the count. The program counts by itself."""
    try:
        if not gdb.selected_inferior().pid or u32("reweave_stop_thread") != 0:
            return
    except gdb.GdbError:
        return
    for known in gdb.breakpoints():
        asked = BLOCK_CONDITION.match(known.condition or "")
        if not asked or known.thread is None or known.number in compiled or not known.enabled:
            continue
        kernel = [other.ptid[1] for other in gdb.selected_inferior().threads() if other.num == known.thread]
        threads = [thread for thread in Thread.all() if [thread.kernel] == kernel]
        wanted = int(asked.group(1))
        if not threads or threads[0].blocks() is None or threads[0].blocks() >= wanted:
            continue
        compiled.add(known.number)
        AtBlock(known, threads[0], wanted)
        print("breakpoint %d: the program itself counts to block %d" % (known.number, wanted))
        return


def harden_breakpoints(*_):
    """A software breakpoint where a switch is to be made would be written over by the switch, and the other way round. A hardware breakpoint
    does not touch the code."""
    try:
        if not gdb.selected_inferior().pid:
            return
        switched = {where for (_, _, _, where, _, reason, _) in schedule() if reason == INSTRUCTION}
    except gdb.GdbError:
        return
    for known in gdb.breakpoints():
        if known.type != gdb.BP_BREAKPOINT or not known.is_valid() or known.pending:
            continue
        places = [location.address for location in known.locations]
        if not any(place in switched for place in places):
            continue
        hard = gdb.Breakpoint("*%#x" % places[0], type=gdb.BP_HARDWARE_BREAKPOINT, temporary=known.temporary)
        hard.condition, hard.thread, hard.enabled = known.condition, known.thread, known.enabled
        print("breakpoint %d is where threads switch: it is now hardware breakpoint %d" % (known.number, hard.number))
        known.delete()


for command in (Reweave, Start, Info, Switch, Until, NextSwitch, Block, Break, Select, ShowSchedule, Save, Blocks):
    command()
# How threads are stopped between two instructions is no business of the user's.
gdb.execute("handle SIGILL SIG45 nostop noprint pass", to_string=True)
gdb.execute("set print thread-events off")
gdb.execute("set breakpoint pending on")
gdb.events.stop.connect(harden_breakpoints)
gdb.events.breakpoint_created.connect(lambda _: gdb.post_event(harden_breakpoints))
gdb.events.breakpoint_created.connect(lambda _: gdb.post_event(compile_conditions))
gdb.events.breakpoint_modified.connect(lambda _: gdb.post_event(compile_conditions))
gdb.events.stop.connect(compile_conditions)
