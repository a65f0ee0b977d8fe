"""docs/tutorial.md runs as written, and prints what it says."""

import contextlib
import io
import re


def blocks(text):
    """(first line, code, expected output or None) of every Python block."""
    for m in re.finditer(r"```python\n(.*?)```\n(?:```text\n(.*?)```\n)?", text, re.S):
        yield text[:m.start()].count("\n") + 2, m.group(1), m.group(2)


def test_every_snippet(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = source / "docs/tutorial.md"
    text = path.read_text()
    session = {"__name__": "tutorial"}
    found = list(blocks(text))
    assert len(found) == text.count("```python") and len([b for b in found if b[2] is not None]) == text.count("```text")
    for line, code, expected in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * (line - 1) + code, str(path), "exec"), session)
        if expected is not None:
            assert printed.getvalue() == expected, f"{path}:{line}"
    plots = re.findall(r'plot\("(\w+\.png)"', text)
    assert len(plots) >= 4
    with contextlib.suppress(ImportError):
        import matplotlib  # noqa: F401

        for name in plots:
            assert (tmp_path / name).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_readme_runs(source):
    found = list(blocks((source / "README.md").read_text()))
    assert found
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for _, code, _ in found:
            exec(code, {})
    assert printed.getvalue() == "[[1.6487027  2.7182512  0.36787605]]\n"
