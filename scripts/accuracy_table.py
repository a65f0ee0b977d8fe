#!/usr/bin/env python3
"""Prints the accuracy tables of docs/accuracy.md from the certificates of the embedded catalogs, or writes them there.

  scripts/accuracy_table.py                      both tables on standard output
  scripts/accuracy_table.py docs/accuracy.md     replaces what stands between the markers of that file
  scripts/accuracy_table.py --check docs/accuracy.md   exit status 1 when that would change it
"""
import json
import pathlib
import struct
import sys

CATALOGS = pathlib.Path(__file__).resolve().parent.parent / "data" / "catalogs"


def number(bits):
    """Shortest decimal that reads back as the same binary32."""
    value = struct.unpack("<f", struct.pack("<I", int(bits, 16)))[0]
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if struct.unpack("<I", struct.pack("<f", float(text)))[0] == int(bits, 16):
            return text
    return repr(value)


def figure(measured, name):
    return f"{float(measured[name]['error']):.3g}" if name in measured else ""


def worst(measured):
    return number(measured["max_ulp"]["input"])


def certificates(catalog):
    path = CATALOGS / catalog / "certificates.json"
    return json.loads(path.read_text())["tables"] if path.exists() else []


def faithful():
    yield "| function | structure | sections | octaves | max ULP | outer octaves | below normal, steps of 2^-149 | worst input |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for c in certificates("trainium"):
        m = c["measured"]
        yield (f"| {c['function']} | {c['structure']} | {c['sections']} | {c['octaves']} | {figure(m, 'max_ulp')} | "
               f"{figure(m, 'max_ulp_outer')} | {figure(m, 'max_subnormal_steps')} | {worst(m)} |")


def side_by_side():
    yield ("| function | sections | octaves | Taylor ULP, same cut | ours, ULP | Taylor, outer octaves | ours, outer | "
           "ours, tail absolute | worst input |")
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for c in certificates("trainium-minimax"):
        m, t = c["measured"], c.get("taylor", {})
        yield (f"| {c['function']} | {c['sections']} | {c['octaves']} | {figure(t, 'max_ulp')} | {figure(m, 'max_ulp')} | "
               f"{figure(t, 'max_ulp_outer')} | {figure(m, 'max_ulp_outer')} | {figure(m, 'max_absolute_tail')} | {worst(m)} |")


TABLES = {"faithful": faithful, "side-by-side": side_by_side}


def fill(text):
    for name, rows in TABLES.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end {name} -->"
        if begin not in text:
            continue
        head, rest = text.split(begin, 1)
        tail = rest.split(end, 1)[1]
        text = head + begin + "\n".join(rows()) + "\n" + end + tail
    return text


def main(arguments):
    check = "--check" in arguments
    files = [a for a in arguments if a != "--check"]
    if not files:
        for rows in TABLES.values():
            print("\n".join(rows()) + "\n")
        return 0
    status = 0
    for name in files:
        path = pathlib.Path(name)
        old = path.read_text()
        new = fill(old)
        if check and old != new:
            print(f"{name} is not what the certificates say; run {sys.argv[0]} {name}", file=sys.stderr)
            status = 1
        elif old != new:
            path.write_text(new)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
