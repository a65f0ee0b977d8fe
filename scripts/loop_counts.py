#!/usr/bin/env python3
"""Counts the instructions of the inner loops that the benchmarks spend their time in, for docs/performance.md.

  scripts/loop_counts.py PROGRAM                          the table on standard output
  scripts/loop_counts.py PROGRAM docs/performance.md      replaces what stands between the markers of that file

PROGRAM is a benchmark built with AVX-512 kernels. The limits are those of a Zen 4 core as public tables give them: six
instructions, three loads (two of vectors, one of 512 bits) and two stores (one of 512 bits) a cycle, four vector pipes of
256 bits, two of which shuffle; an instruction on 512 bits takes two of them.
"""
import re
import subprocess
import sys

# Name in the table, function, what its loop contains, elements a turn.
LOOPS = [
    ("tabulated bf16 (silu, sqrt)", r"PatternTable::apply\(.*arch_x86_64_v4", r"vpinsrw", 8),
    ("bf16 by runs of patterns (relu)", r"PatternTable::apply\(.*arch_x86_64_v4", r"vpcmp\w*uw .*zmm", 32),
    ("table, pass 1: records (exp)", r"N_AVX3::find_records<\(act::kernels::Lookup\)1, false, true>", r"zmm", 16),
    ("table, pass 2: quick cubic (exp)", r"N_AVX3::evaluate_quick<false>", r"vfmadd.*zmm", 16),
    ("table, pass 2: cubic as documented", r"N_AVX3::evaluate_records<false, false>", r"vcvtps2pd.*zmm", 16),
    ("direct fp32 (relu)", r"N_AVX3::direct_as<false, \(act::kernels::DirectKind\)0>", r"zmm", 16),
]
SHUFFLE = re.compile(r"v?(perm|punpck|unpck|shuf|insert|pinsr|extract|pextr|broadcast|pbroadcast|pack|pmovzx|pmovw|palign|movd\b|movq\b)")


def functions(program):
    listing = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", program], check=True, capture_output=True, text=True)
    name, body = None, []
    for line in listing.stdout.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            if name:
                yield name, body
            name, body = head[1], []
        elif code := re.match(r"\s*([0-9a-f]+):\s+(\S.*)$", line):
            body.append((int(code[1], 16), code[2]))
    yield name, body


def inner_loops(body):
    """Ranges of instructions between a backward jump and its target that hold no other such range."""
    loops = []
    first = body[0][0]
    for at, code in body:
        jump = re.match(r"j\w+\s+([0-9a-f]+) ", code)
        if jump and first <= int(jump[1], 16) <= at:
            loops.append((int(jump[1], 16), at))
    for low, high in loops:
        if not any((a, b) != (low, high) and low <= a and b <= high for a, b in loops):
            yield [code for at, code in body if low <= at <= high]


class Counts:
    def __init__(self, loop):
        self.all = len(loop)
        self.loads = self.stores = self.shuffles = self.arithmetic = 0
        self.load_slots = self.store_slots = self.shuffle_slots = self.vector_slots = 0.0
        for code in loop:
            self.add(code)

    def add(self, code):
        mnemonic, _, operands = code.partition(" ")
        operands = re.sub(r"\s*[#<].*", "", operands).strip()
        memory = "(" in operands and not mnemonic.startswith(("lea", "prefetch", "nop", "j"))
        vector = "mm" in operands
        wide = "zmm" in operands
        stores = memory and operands.endswith(")") and re.match(r"v?mov|v?pextr|kmov", mnemonic)
        if stores:
            self.stores += 1
            self.store_slots += 1 if wide else 0.5
        elif memory:
            self.loads += 1
            one = "{1to" in operands or "broadcast" in mnemonic
            self.load_slots += 1 if wide and not one else 0.5 if vector else 1 / 3
        moves = re.match(r"v?mov(?!d\b|q\b)", mnemonic)
        if not vector or stores or (moves and memory):
            return
        pipes = 2 if wide else 1
        self.vector_slots += pipes / 4
        if SHUFFLE.match(mnemonic):
            self.shuffles += 1
            self.shuffle_slots += pipes / 2
        else:
            self.arithmetic += 1

    def limit(self):
        limits = {"instructions": self.all / 6, "loads": self.load_slots, "stores": self.store_slots,
                  "shuffles": self.shuffle_slots, "vector pipes": self.vector_slots}
        return max(limits.items(), key=lambda item: item[1])


def table(program):
    bodies = [(name, body) for name, body in functions(program) if body]
    yield "| loop | elements a turn | instructions | loads | stores | shuffles | vector arithmetic | limit, cycles an element | by |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---|"
    for title, function, contains, elements in LOOPS:
        found = [loop for name, body in bodies if re.search(function, name) for loop in inner_loops(body)
                 if any(re.search(contains, code) for code in loop)]
        if not found:
            raise SystemExit(f"{program}: no loop of {title}")
        c = Counts(min(found, key=len))  # the longer ones are for other counts of runs, or handle what is left over
        what, cycles = c.limit()
        yield (f"| {title} | {elements} | {c.all} | {c.loads} | {c.stores} | {c.shuffles} | {c.arithmetic} | "
               f"{cycles / elements:.2f} | {what} |")


def main():
    lines = "\n".join(table(sys.argv[1])) + "\n"
    if len(sys.argv) < 3:
        print(lines, end="")
        return
    with open(sys.argv[2], encoding="utf-8") as f:
        text = f.read()
    begin, end = text.index("<!-- loops -->\n"), text.index("<!-- /loops -->")
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write(text[:begin] + "<!-- loops -->\n" + lines + text[end:])


if __name__ == "__main__":
    main()
