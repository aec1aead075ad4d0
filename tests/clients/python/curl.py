"""curl from Debian: bodies that wait for "100 Continue", ranges, and times."""

import json
import subprocess
from urllib.parse import quote

from .harness import APP_PASSWORD, DAV, FOLDER, NAMES, ORIGIN, SIZES, SPACED, USER, WORK
from .harness import expect, finish, modified, step, stored

print(subprocess.check_output(["curl", "--version"], text=True).partition(" (")[0], flush=True)

RIGHT = f"{USER}:{APP_PASSWORD}"
WRONG = f"{USER}:wrong"
EXPECT = ["--header", "Expect: 100-continue"]
LARGE = SIZES["large"]


def curl(path, *arguments, user=RIGHT, stdin=None, base=DAV):
    """What curl tells of its last request: status, bytes sent, the server's word on the connection, and the body."""
    told = '{"status": %{http_code}, "sent": %{size_upload}, "connection": "%header{connection}"}'
    command = [
        "curl",
        "--silent",
        "--show-error",
        "--max-time",
        "60",
        "--user",
        user,
        "--write-out",
        "%{stderr}" + told,
    ]
    ran = subprocess.run([*command, *arguments, base + quote(path)], input=stdin, capture_output=True)
    words, _, figures = ran.stderr.decode().rpartition("{")
    if ran.returncode:
        raise RuntimeError(f"curl ended with {ran.returncode}: {words}")
    return {**json.loads("{" + figures), "body": ran.stdout}


def status(path, *arguments, **more):
    """The status of the last request."""
    return curl(path, *arguments, **more)["status"]


for name, content in SIZES.items():
    (WORK / name).write_bytes(content)
large = str(WORK / "large")

with step("folders"):
    expect("a folder that is not there", 404, status(f"{FOLDER}/", "--request", "PROPFIND", "--header", "Depth: 0"))
    for folder in [FOLDER, f"{FOLDER}/names", f"{FOLDER}/深", f"{FOLDER}/深/更 深"]:
        expect(f"MKCOL of {folder}", 201, status(f"{folder}/", "--request", "MKCOL"))
    expect("HEAD of a folder", 200, status(f"{FOLDER}/", "--head"))
    expect("PROPFIND of a folder", 207, status(f"{FOLDER}/", "--request", "PROPFIND", "--header", "Depth: 1"))

for name, content in SIZES.items():
    for kind, more in [("at once", ["--header", "Expect:"]), ("after 100 Continue", EXPECT)]:
        with step(f"PUT of {name} {kind}"):
            path = f"{FOLDER}/{name} {kind}"
            expect(f"PUT of {name} {kind}", 201, status(path, "--upload-file", str(WORK / name), *more))
            expect(f"{name} {kind} on the server", content, stored(path))
            expect(f"{name} {kind} read back", content, curl(path)["body"])

for name in NAMES + SPACED:
    with step(f"name {name!r}"):
        path = f"{FOLDER}/names/{name}"
        expect(f"PUT of {name!r}", 201, status(path, "--upload-file", "-", stdin=name.encode()))
        expect(f"{name!r} on the server", name.encode(), stored(path))
        expect(f"{name!r} read back", name.encode(), curl(path)["body"])

for why, code, path, more in [
    ("wrong credentials", 401, f"{FOLDER}/refused", {"user": WRONG}),
    ("a forbidden place", 403, "/datasets/refused", {}),
    ("no folder for it", 409, f"{FOLDER}/nowhere/refused", {}),
    ("no token", 401, f"{FOLDER}/refused", {"base": f"{ORIGIN}/disk/api/resources"}),
]:
    with step(f"{why} with Expect"):
        method = ["--request", "POST"] if "base" in more else []
        answer = curl(path, "--upload-file", large, *method, *EXPECT, **more)
        expect(f"{why}: the refusal before the body", (code, 0), (answer["status"], answer["sent"]))
        # Else the next request on this connection could be taken for the body.
        expect(f"{why}: the connection after it", "close", answer["connection"].lower())

with step("wrong credentials without Expect"):
    small = ["--upload-file", str(WORK / "one"), "--header", "Expect:"]
    expect("the refusal after the body", 401, status(f"{FOLDER}/refused", *small, user=WRONG))
    expect("a refused file", None, stored(f"{FOLDER}/refused"))

with step("credentials only when asked"):
    path = f"{FOLDER}/asked"
    # From a pipe, so that content sent with the refused request could not be sent again.
    answer = curl(path, "--anyauth", "--upload-file", "-", *EXPECT, stdin=LARGE)
    expect("a stream after a challenge", 201, answer["status"])
    expect("a stream after a challenge on the server", LARGE, stored(path))

with step("ranges"):
    path = f"{FOLDER}/asked"
    expect("a range", LARGE[1_000_000:1_000_100], curl(path, "--range", "1000000-1000099")["body"])
    expect("the last bytes", LARGE[-100:], curl(path, "--range", "-100")["body"])
    (WORK / "part").write_bytes(LARGE[:1_000_000])
    curl(path, "--continue-at", "-", "--output", str(WORK / "part"))
    expect("a download that was continued", LARGE, (WORK / "part").read_bytes())

with step("times"):
    curl(f"{FOLDER}/asked", "--remote-time", "--output", str(WORK / "back"))
    expect("the time of the file read back", modified(f"{FOLDER}/asked"), int((WORK / "back").stat().st_mtime))
    expect("unchanged since then", 304, status(f"{FOLDER}/asked", "--time-cond", str(WORK / "back")))

with step("moves and copies"):
    onto = ["--header", f"Destination: {DAV}{quote(FOLDER)}/moved%20%23"]
    expect("MOVE", 201, status(f"{FOLDER}/asked", "--request", "MOVE", *onto))
    expect("what was moved", LARGE, stored(f"{FOLDER}/moved #"))
    expect("COPY onto a file", 412, status(f"{FOLDER}/names", "--request", "COPY", "--header", "Overwrite: F", *onto))
    expect("DELETE", 204, status(f"{FOLDER}/moved #", "--request", "DELETE"))
    expect("COPY", 201, status(f"{FOLDER}/names", "--request", "COPY", *onto))
    expect("a copied name", NAMES[0].encode(), stored(f"{FOLDER}/moved #/{NAMES[0]}"))

with step("deletion"):
    expect("DELETE", 204, status(FOLDER, "--request", "DELETE"))
    expect("what was deleted", 404, status(f"{FOLDER}/names/{NAMES[0]}"))

finish()
