"""rclone, as each kind of server that it knows of; `RCLONE` names the program."""

import hashlib
import json
import os
import subprocess

from .harness import APP_PASSWORD, DAV, FOLDER, NAMES, OLD_TIME, SIZES, SPACED, USER, WORK
from .harness import check, children, entry, expect, expect_room, finish, local_tree, modified, read_tree, step
from .harness import stored, stored_tree

PROGRAM = os.environ.get("RCLONE", "rclone")
ENVIRONMENT = {**os.environ, "RCLONE_CONFIG": str(WORK / "rclone.conf"), "RCLONE_RETRIES": "1"}
LARGE = SIZES["large"]


def run(*arguments, stdin=None):
    """What rclone prints, and what it logs."""
    ran = subprocess.run(
        [PROGRAM, *map(str, arguments)], env=ENVIRONMENT, input=stdin, capture_output=True, timeout=300
    )
    if ran.returncode:
        raise RuntimeError(f"rclone {arguments[0]} ended with {ran.returncode}: {ran.stderr.decode()}")
    return ran.stdout, ran.stderr.decode()


def rclone(*arguments, stdin=None):
    """What rclone prints."""
    return run(*arguments, stdin=stdin)[0]


version = rclone("version").decode().split()[1]
print("rclone", version, flush=True)
# Since 1.64 it sets times afterwards, and its kind "nextcloud" takes no address but Nextcloud's.
is_new = tuple(map(int, version.lstrip("v").split(".")[:2])) >= (1, 64)
VENDORS = ["other", "owncloud", "fastmail" if is_new else "nextcloud"]

secret = rclone("obscure", APP_PASSWORD).decode().strip()
sections = [
    f"[{vendor}]\ntype = webdav\nurl = {DAV}\nvendor = {vendor}\nuser = {USER}\npass = {secret}\n" for vendor in VENDORS
]
(WORK / "rclone.conf").write_text("\n".join(sections))

local, files = local_tree("tree")
for name in NAMES + SPACED:
    (local / name).write_bytes(name.encode())
    files[name] = name.encode()
for name, content in SIZES.items():
    (local / name).write_bytes(content)
    files[name] = content
for path in files:
    os.utime(local / path, (OLD_TIME, OLD_TIME))


def transferred(*arguments):
    """How many files rclone says that it transferred."""
    log = run(*arguments, "--use-json-log", "--verbose", "--stats", "1h")[1]
    lines = [json.loads(line) for line in log.splitlines()]
    return [line for line in lines if "stats" in line][-1]["stats"]["transfers"]


def follows(vendor, folder):
    """Tries what every kind of server must do."""
    remote = f"{vendor}:{folder.removeprefix('/')}"

    with step(f"{vendor}: mkdir"):
        expect(f"{vendor}: the folder before it is made", None, entry(folder))
        rclone("mkdir", f"{remote}/深/更 深")
        expect(f"{vendor}: lsf", "深/\n", rclone("lsf", remote).decode())

    with step(f"{vendor}: sync"):
        rclone("sync", local, f"{remote}/tree")
        expect(f"{vendor}: the tree on the server", files, stored_tree(f"{folder}/tree", files))
        rclone("check", local, f"{remote}/tree", "--download")
        rclone("sync", f"{remote}/tree", WORK / f"{vendor} back")
        expect(f"{vendor}: the tree read back", files, read_tree(WORK / f"{vendor} back"))
        expect(f"{vendor}: files that a second sync transfers", 0, transferred("sync", local, f"{remote}/tree"))

    with step(f"{vendor}: list"):
        listed = {item["Path"]: item for item in json.loads(rclone("lsjson", f"{remote}/tree", "-R", "--files-only"))}
        sizes = {path: item["Size"] for path, item in listed.items()}
        expect(f"{vendor}: sizes", {path: len(content) for path, content in files.items()}, sizes)

    with step(f"{vendor}: streams and ranges"):
        rclone("rcat", f"{remote}/stream", stdin=LARGE)
        expect(f"{vendor}: a stream on the server", LARGE, stored(f"{folder}/stream"))
        expect(
            f"{vendor}: a range",
            LARGE[1_000_000:1_000_100],
            rclone("cat", f"{remote}/stream", "--offset", 1_000_000, "--count", 100),
        )
        expect(f"{vendor}: the last bytes", LARGE[-100:], rclone("cat", f"{remote}/stream", "--tail", 100))

    with step(f"{vendor}: moves and copies"):
        rclone("copyto", f"{remote}/stream", f"{remote}/copy #1")
        expect(f"{vendor}: a copy on the server", LARGE, stored(f"{folder}/copy #1"))
        rclone("moveto", f"{remote}/copy #1", f"{remote}/深/moved %41")
        expect(f"{vendor}: a moved file", LARGE, stored(f"{folder}/深/moved %41"))
        rclone("moveto", f"{remote}/tree", f"{remote}/tree 2")
        expect(f"{vendor}: the moved tree", files, stored_tree(f"{folder}/tree 2", files))
        expect(f"{vendor}: what was moved", None, entry(f"{folder}/tree"))

    with step(f"{vendor}: about"):
        told = lambda used, free: {"total": used + free, "used": used, "free": free}
        for where, remote_of in [("the root", f"{vendor}:"), ("home", f'{vendor},url="{DAV}/home/":')]:
            ask = lambda of=remote_of: json.loads(rclone("about", of, "--json"))
            expect_room(f"{vendor}: about {where}", told, ask)

    with step(f"{vendor}: deletion"):
        rclone("deletefile", f"{remote}/stream")
        expect(f"{vendor}: a deleted file", None, entry(f"{folder}/stream"))
        (WORK / "nothing").mkdir(exist_ok=True)
        rclone("sync", WORK / "nothing", f"{remote}/深")
        expect(f"{vendor}: what a sync with nothing left", [], children(f"{folder}/深"))


def keeps_times(vendor, folder):
    """Tries what rclone does only with servers that keep times."""
    remote = f"{vendor}:{folder.removeprefix('/')}/tree 2"
    tree = f"{folder}/tree 2"

    with step(f"{vendor}: times"):
        times = {path: modified(f"{tree}/{path}") for path in files}
        expect(f"{vendor}: times of uploads", dict.fromkeys(files, OLD_TIME), times)

    if is_new and vendor == "owncloud":
        with step(f"{vendor}: touch"):
            rclone("touch", "--no-create", "-t", "2002-02-03T04:05:06", f"{remote}/one")
            expect(f"{vendor}: the time that was set", 1012709106, modified(f"{tree}/one"))

        with step(f"{vendor}: sync of a changed time"):
            os.utime(local / "large", (OLD_TIME + 3600, OLD_TIME + 3600))
            expect(f"{vendor}: files that a changed time transfers", 0, transferred("sync", local, remote))
            times = [modified(f"{tree}/{name}") for name in ["large", "one"]]
            expect(f"{vendor}: times after the sync", [OLD_TIME + 3600, OLD_TIME], times)
            os.utime(local / "large", (OLD_TIME, OLD_TIME))


def keeps_checksums(vendor, folder):
    """Tries what rclone does only with servers of ownCloud's kind."""
    remote = f"{vendor}:{folder.removeprefix('/')}/tree 2"

    with step(f"{vendor}: checksums"):
        lines = rclone("sha1sum", remote).decode().splitlines()
        wanted = {path: hashlib.sha1(content).hexdigest() for path, content in files.items()}
        expect(f"{vendor}: sha1sum", wanted, {line[42:]: line[:40].strip() for line in lines})
        log = run("check", local, remote)[1]
        check(f"{vendor}: every hash is checked", "could not be checked" not in log, log)


for vendor in VENDORS:
    follows(vendor, f"{FOLDER}/{vendor}")
for vendor in VENDORS[1:]:
    keeps_times(vendor, f"{FOLDER}/{vendor}")
keeps_checksums("owncloud", f"{FOLDER}/owncloud")

with step("purge"):
    rclone("purge", f"other:{FOLDER.removeprefix('/')}")
    expect("the purged folder", None, entry(FOLDER))

finish()
