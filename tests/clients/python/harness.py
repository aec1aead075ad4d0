"""What these programs share: their settings, how they report, and a look at the server past the client under test."""

import hashlib
import json
import os
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from datetime import datetime

ORIGIN = os.environ["YUNLAB_ORIGIN"]
USER = os.environ["YUNLAB_USER"]
APP_PASSWORD = os.environ["YUNLAB_APP_PASSWORD"]
TOKEN = os.environ["YUNLAB_TOKEN"]
FOLDER = os.environ["YUNLAB_FOLDER"]
WORK = pathlib.Path(os.environ["YUNLAB_WORK"])
DAV = f"{ORIGIN}/disk/dav"

NAMES = (pathlib.Path(__file__).parent.parent / "names.txt").read_text().splitlines()
SPACED = [" leading", "trailing "]
SIZES = {"empty": b"", "one": b"1", "large": os.urandom(3_000_000)}
# 2001-02-03T04:05:06Z
OLD_TIME = 981173106

_failures = 0


def fail(what, wanted, came):
    """Reports a failed expectation as one line."""
    global _failures
    _failures += 1
    line = f"{what}: wanted {_short(wanted)}, came {_short(came)}"
    print(" ".join(line.split()), file=sys.stderr, flush=True)


def _short(value):
    if isinstance(value, bytes):
        return f"{len(value)} bytes with SHA-256 {hashlib.sha256(value).hexdigest()[:12]}"
    text = value if isinstance(value, str) else repr(value)
    return text[:400] + "…" if len(text) > 400 else text or "nothing"


def expect(what, wanted, came):
    """Compares what was wanted with what came."""
    if wanted != came:
        fail(what, wanted, came)


def check(what, holds, came):
    """Reports what came unless the condition holds."""
    if not holds:
        fail(what, "it to hold", came)


@contextmanager
def step(what):
    """Reports an exception and goes on with the next step."""
    try:
        yield
    except Exception as error:
        fail(what, "no error", f"{type(error).__name__}: {error}")


def refused(what, kind, call):
    """Wants the call to raise this kind of exception."""
    try:
        came = call()
    except kind:
        return
    except Exception as error:
        came = f"{type(error).__name__}: {error}"
    fail(what, kind.__name__ if isinstance(kind, type) else kind, came)


def finish():
    """Ends the program with its verdict."""
    sys.exit(1 if _failures else 0)


def rest(method, call, path):
    """The answer of the disk's own interface, or none where nothing is."""
    url = f"{ORIGIN}/disk/api/{call}{urllib.parse.quote(path)}"
    request = urllib.request.Request(url, method=method, headers={"Authorization": f"Bearer {TOKEN}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise


def stored(path):
    """The bytes of a file as they are on the server."""
    return rest("GET", "raw", path)


def entry(path):
    """What the server says of a file or folder."""
    answer = rest("GET", "resources", path)
    return answer and json.loads(answer)


def modified(path):
    """When a file or folder was changed, in seconds."""
    answer = entry(path)
    return answer and int(datetime.fromisoformat(answer["modified"]).timestamp())


def children(path):
    """The names in a folder as they are on the server, sorted."""
    listing = entry(path)
    return listing and sorted(item["name"] for item in listing["items"])


def room():
    """How much the user has stored, and how much more there is room for."""
    usage = json.loads(rest("GET", "usage", "/home/"))
    return usage["used"], usage["quota"] - usage["used"]


def expect_room(what, told, ask):
    """Compares what a client tells of the room with `told(used, free)`; a count that was renewed meanwhile is asked again."""
    for _ in range(5):
        before, came = room(), ask()
        if room() == before:
            break
    expect(what, told(*before), came)


def local_tree(name):
    """A folder with nested folders on this machine, and the files in it by their path."""
    top = WORK / name
    files = {"a.txt": b"a", "深/b c.txt": b"b", "深/更深/large": SIZES["large"], "深/empty": b""}
    for path, content in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(content)
    return top, files


def read_tree(top):
    """The files below a local folder by their path."""
    top = pathlib.Path(top)
    return {str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*") if path.is_file()}


def stored_tree(folder, files):
    """The same files as they are on the server."""
    return {path: stored(f"{folder}/{path}") for path in files}
