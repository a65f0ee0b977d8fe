#!/usr/bin/env python3
"""docs/module.schema.json against the reader: module_schema.py ROOT ACTKIT.

Examples and the modules of the golden tests are valid; hostile variants are refused by schema and program alike; and whatever the
program takes of hundreds of random changes to the examples, the schema takes too. Exit status 77 without python3-jsonschema.
"""
import copy
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed: skipped")
    sys.exit(77)

ROOT, ACTKIT = sys.argv[1], sys.argv[2]
SCHEMA = json.load(open(os.path.join(ROOT, "docs", "module.schema.json")))
jsonschema.Draft202012Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def refused(modules, folder):
    """Indices of the modules for which the program's reader or verifier reports an error."""
    names = []
    for k, module in enumerate(modules):
        names.append(os.path.join(folder, "m%d.json" % k))
        with open(names[-1], "w") as out:
            json.dump(module, out)
    done = subprocess.run([ACTKIT, "check", "--json"] + names, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    bad = set()
    for line in (done.stdout + done.stderr).splitlines():
        if not line.startswith("{"):
            continue
        d = json.loads(line)
        match = re.search(r"m(\d+)\.json", json.dumps(d))
        if d.get("severity") == "error" and match:
            bad.add(int(match.group(1)))
    return bad


def golden_modules():
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "golden", "**", "*.txt"), recursive=True)):
        if os.path.basename(path).startswith("bad") or "compiler-names" in path:
            continue  # refused; or written with the compiler's names, which the reader takes as aliases
        for name, text in re.findall(r"^--- file (\S+\.json)\n(.*?)(?=^--- )", open(path, errors="replace").read(), re.M | re.S):
            if '"actkit_module"' not in text:
                continue
            try:
                yield path + ":" + name, json.loads(text)
            except ValueError:
                pass  # a golden of a syntax error


def edited(module, edit):
    m = copy.deepcopy(module)
    edit(m)
    return m


def hostile(example):
    first = lambda m: m["functions"][0]["body"][0]["instructions"]
    activation = lambda m: next(i for i in first(m) if i["opcode"] == "Activation")
    isa = lambda m: next(i for i in first(m) if i["opcode"] == "Isa")
    edits = [
        lambda m: m.pop("actkit_module"), lambda m: m.update(actkit_module=2), lambda m: m.update(surprise=1), lambda m: m.update(generation="v9"),
        lambda m: m.update(functions="main"), lambda m: m.update(functions=[]), lambda m: m["functions"][0].update(body={}),
        lambda m: m.update(attributes={"other": True}), lambda m: m.update(registers=[{"register": 64, "value": 0}]),
        lambda m: m["tensors"][0].pop("shape"), lambda m: m["tensors"][0].update(shape=[0]), lambda m: m["tensors"][0].update(partition=128),
        lambda m: m["tensors"][0].update(dtype="float32!"), lambda m: m["tensors"][0].update(space="DRAM"), lambda m: m["tensors"][0].update(offset=-4),
        lambda m: activation(m).pop("func"), lambda m: activation(m).update(func="Expp"), lambda m: activation(m).update(scale=None), lambda m: activation(m).update(scale="1.0"),
        lambda m: activation(m).update(acc="Add"), lambda m: activation(m).update(op0="plus"), lambda m: activation(m).update(ins=[]), lambda m: activation(m).update(act_func_set_id=0),
        lambda m: activation(m)["ins"][0].update(num=[1, 1, 1, 1, 1], step=[1, 1, 1, 1, 1]), lambda m: activation(m)["ins"].__setitem__(1, {"register": 64}),
        lambda m: activation(m)["ins"].__setitem__(1, {"immediate": "0xZZ"}), lambda m: activation(m)["outs"][0].update(channels=129), lambda m: activation(m).update(engine="Scalar"),
        lambda m: activation(m).update(sync_info={"wait_mode": "SOMETIMES"}), lambda m: activation(m).update(sync_info={"wait_idx": 256}), lambda m: activation(m).update(line=-1),
        lambda m: isa(m).update(instruction="NOT_AN_OPCODE"), lambda m: isa(m).pop("instruction"), lambda m: isa(m)["fields"].update(nonsense=1), lambda m: isa(m)["fields"].update(opcode=1),
        lambda m: isa(m)["fields"].update(num_active_channels=256), lambda m: isa(m)["fields"].update(op="PLUS"), lambda m: isa(m).update(ins=[{"immediate": 1}]),
        lambda m: isa(m).update(instruction="ACTIVATION_TABLE_LOAD", fields={}),
        lambda m: first(m).append({"opcode": "LoadActFuncSet", "act_func_set_id": -1}), lambda m: first(m).append({"opcode": "LoadActFuncSet", "act_func_set_id": {"affine": {"const": 0, "terms": [{"op": "div"}]}}}),
        lambda m: first(m).append({"opcode": "Sigmoid"}), lambda m: first(m).append("Activation"), lambda m: first(m).append({}),
        lambda m: m["functions"][0]["body"].append({"loop": "i", "trip": -1, "body": []}), lambda m: m["functions"][0]["body"].append({"loop": "i", "trip": 1.5, "body": []}),
        lambda m: m["functions"][0]["body"].append({"block": "x", "loop": "i"}), lambda m: m["functions"][0]["body"].append({"branch": {"compare": "EQ", "register": 99}}),
        lambda m: m["functions"][0]["body"].append({"branch": {"compare": "=="}}), lambda m: m["functions"][0]["body"].append({"block": "x", "then": [{"block": "y"}]}),
        lambda m: m["functions"][0]["body"].append({"jump": "x"}), lambda m: m["functions"][0]["body"].append([]),
    ]
    return [edited(example, e) for e in edits]


def places(node, path=()):
    yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from places(child, path + (key,))


def at(node, path):
    for key in path:
        node = node[key]
    return node


VALUES = [None, True, 0, 1, -1, 63, 64, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63 - 1, 2**64, 0.5, "", "x", "EQ", "FP32", "0x3f800000", [], {}, [1], {"immediate": 1}, {"tensor": "x"}]


def changed(rng, module):
    m = copy.deepcopy(module)
    for _ in range(rng.choice([1, 1, 2])):
        path = rng.choice([p for p in places(m) if p])
        parent, key = at(m, path[:-1]), path[-1]
        kind = rng.randrange(4)
        if kind == 0:
            del parent[key]
        elif kind == 1 and isinstance(parent, dict):
            parent[rng.choice(["step", "num", "name", "value", "line", "op", "dims", "offset", key])] = rng.choice(VALUES)
        elif kind == 2:
            parent[key] = at(m, rng.choice(list(places(m))))
            m = json.loads(json.dumps(m, check_circular=True)) if not cyclic(m) else copy.deepcopy(module)
        else:
            parent[key] = rng.choice(VALUES)
    return m


def cyclic(m):
    try:
        json.dumps(m)
        return False
    except ValueError:
        return True


def main():
    examples = {p: json.load(open(p)) for p in sorted(glob.glob(os.path.join(ROOT, "examples", "*.json")))}
    sound = list(examples.items()) + list(golden_modules())
    for name, module in sound:
        error = jsonschema.exceptions.best_match(VALIDATOR.iter_errors(module))
        assert error is None, "%s: %s at %s" % (name, error.message, error.json_path)
    base = next(m for p, m in examples.items() if p.endswith("w1_flash_attention.json"))
    with tempfile.TemporaryDirectory() as folder:
        assert not refused([m for _, m in sound], folder)
        variants = hostile(base)
        missed = [k for k, m in enumerate(variants) if VALIDATOR.is_valid(m)]
        assert not missed, "the schema takes hostile variants %s" % missed
        missed = sorted(set(range(len(variants))) - refused(variants, folder))
        assert not missed, "the program takes hostile variants %s" % missed
        rng = random.Random(5)
        small = [m for m in examples.values() if len(json.dumps(m)) < 4500]
        mutants = [changed(rng, rng.choice(small)) for _ in range(600)]
        mutants = [m for m in mutants if isinstance(m, dict) and "actkit_module" in m]
        bad = refused(mutants, folder)
        for k, m in enumerate(mutants):
            if k not in bad and not VALIDATOR.is_valid(m):
                error = jsonschema.exceptions.best_match(VALIDATOR.iter_errors(m))
                sys.exit("the program takes what the schema refuses: %s at %s\n%s" % (error.message, error.json_path, json.dumps(m)))
        print("%d modules valid, %d hostile variants refused by both, %d random changes: %d taken by the program" % (len(sound), len(variants), len(mutants), len(mutants) - len(bad)))


main()
