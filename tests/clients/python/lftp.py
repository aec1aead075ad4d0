"""lftp from Debian, which asks with HEAD before it enters a folder, and reads the links in the page of one."""

import subprocess
from urllib.parse import urlsplit

from .harness import APP_PASSWORD, DAV, FOLDER, NAMES, SIZES, SPACED, USER, WORK
from .harness import children, entry, expect, finish, local_tree, modified, read_tree, step, stored, stored_tree

banner = subprocess.check_output(["lftp", "--version"], text=True)
print("lftp", banner.split(" | ")[1].removeprefix("Version "), flush=True)

address = urlsplit(DAV)


def quoted(text):
    """One word of lftp's own language."""
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def lftp(*commands):
    """What lftp prints when it carries these out in the folder; it stops at the first that fails."""
    begin = [
        "set cmd:fail-exit true",
        # The first answer to each kind of request is the challenge.
        "set net:max-retries 3",
        "set net:reconnect-interval-base 1",
        f"open --user {quoted(USER)} --password {quoted(APP_PASSWORD)} {address.scheme}://{address.netloc}",
    ]
    script = WORK / "script"
    script.write_text("\n".join([*begin, *commands, ""]))
    ran = subprocess.run(["lftp", "--norc", "-f", str(script)], capture_output=True, text=True, timeout=120)
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    return ran.stdout


def within(*commands):
    """The same in the folder that the other steps use."""
    return lftp(f"cd {quoted(f'{address.path}{FOLDER}/')}", *commands)


with step("folders"):
    made = [f"{address.path}{FOLDER}{path}/" for path in ["", "/names", "/深", "/深/更 深"]]
    lftp(*(f"mkdir {quoted(path)}" for path in made))
    expect("the new folders", ["names", "深"], children(FOLDER))

with step("cd"):
    within("cd 深/", "cd '更 深/'", "cd ..", "cd ../names")

for name, content in SIZES.items():
    with step(f"put of {name}"):
        (WORK / name).write_bytes(content)
        within(f"put {quoted(WORK / name)}")
        expect(f"{name} on the server", content, stored(f"{FOLDER}/{name}"))
        within(f"get {name} -o {quoted(WORK / f'{name} back')}")
        expect(f"{name} read back", content, (WORK / f"{name} back").read_bytes())
        expect(f"the time of {name}", modified(f"{FOLDER}/{name}"), int((WORK / f"{name} back").stat().st_mtime))

with step("ranges"):
    (WORK / "part").write_bytes(SIZES["large"][:1_000_000])
    within(f"get -c large -o {quoted(WORK / 'part')}")
    expect("a download that was continued", SIZES["large"], (WORK / "part").read_bytes())
    within(f"pget -n 3 large -o {quoted(WORK / 'pieces')}")
    expect("a download in pieces", SIZES["large"], (WORK / "pieces").read_bytes())

with step("hard names"):
    local = WORK / "names"
    local.mkdir()
    for name in NAMES + SPACED:
        (local / name).write_bytes(name.encode())
    within(f"mirror -R {quoted(local)} names")
    expect("names on the server", sorted(NAMES + SPACED), children(f"{FOLDER}/names"))
    within(f"mirror names {quoted(WORK / 'names back')}")
    expect("names read back", read_tree(local), read_tree(WORK / "names back"))

with step("mirror"):
    local, files = local_tree("tree")
    within(f"mirror -R {quoted(local)} tree")
    expect("the tree on the server", files, stored_tree(f"{FOLDER}/tree", files))
    within(f"mirror tree {quoted(WORK / 'tree back')}")
    expect("the tree read back", files, read_tree(WORK / "tree back"))
    (local / "a.txt").unlink()
    within(f"mirror -R --delete {quoted(local)} tree")
    expect("what a mirror deleted", ["深"], children(f"{FOLDER}/tree"))

with step("list"):
    listed = within("cls -1").splitlines()
    expect("list", sorted([*SIZES, "names/", "tree/", "深/"]), sorted(listed))

with step("mv"):
    within("mv one '改名 #1.txt'", "mv names 'names 2'")
    expect("the renamed file", b"1", stored(f"{FOLDER}/改名 #1.txt"))
    expect("names after a move", sorted(NAMES + SPACED), children(f"{FOLDER}/names 2"))

with step("rm"):
    within("rm empty")
    expect("a removed file", None, entry(f"{FOLDER}/empty"))
    lftp(f"rm -r {quoted(f'{address.path}{FOLDER}')}")
    expect("the removed folder", None, entry(FOLDER))

finish()
