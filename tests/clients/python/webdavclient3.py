"""webdavclient3 from PyPI, which asks with HEAD before nearly everything that it does."""

import io
import shutil
from email.utils import parsedate_to_datetime
from importlib.metadata import version

from webdav3.client import Client
from webdav3.exceptions import RemoteResourceNotFound, WebDavException

from .harness import APP_PASSWORD, FOLDER, NAMES, OLD_TIME, ORIGIN, SIZES, SPACED, USER, WORK
from .harness import check, expect, expect_room, finish, local_tree, modified, read_tree, refused, step, stored, stored_tree

print("webdavclient3", version("webdavclient3"), flush=True)


def connected(root):
    """A client whose paths begin at this folder."""
    account = {"webdav_login": USER, "webdav_password": APP_PASSWORD}
    return Client({"webdav_hostname": ORIGIN, "webdav_root": root, **account})


client = connected("/disk/dav")
names = NAMES + SPACED
# Its list takes what follows a # for no part of the path, and leaves out what then looks like the folder itself.
listed = sorted(name for name in names if not name.startswith("#"))

with step("check"):
    expect("check of /home", True, client.check("/home"))
    expect("check of what is not there", False, client.check(FOLDER))

with step("mkdir"):
    client.mkdir(FOLDER)
    client.mkdir(f"{FOLDER}/names")
    expect("mkdir of what is there", True, client.mkdir(FOLDER))
    expect("mkdir with its parents", True, client.mkdir(f"{FOLDER}/深/更 深/b", recursive=True))
    expect("check of a new folder", True, client.check(f"{FOLDER}/深/更 深/b"))
    expect("is_dir of a new folder", True, client.is_dir(f"{FOLDER}/深"))

for name, content in SIZES.items():
    with step(f"upload of {name}"):
        (WORK / name).write_bytes(content)
        client.upload_sync(f"{FOLDER}/{name}", str(WORK / name))
        expect(f"{name} on the server", content, stored(f"{FOLDER}/{name}"))
        expect(f"is_dir of {name}", False, client.is_dir(f"{FOLDER}/{name}"))
        client.download_sync(f"{FOLDER}/{name}", str(WORK / "back"))
        expect(f"{name} read back", content, (WORK / "back").read_bytes())

for name in names:
    with step(f"name {name!r}"):
        client.upload_to(io.BytesIO(name.encode()), f"{FOLDER}/names/{name}")
        expect(f"{name!r} on the server", name.encode(), stored(f"{FOLDER}/names/{name}"))
        read = io.BytesIO()
        client.download_from(read, f"{FOLDER}/names/{name}")
        expect(f"{name!r} read back", name.encode(), read.getvalue())

with step("streams"):
    client.upload_to((SIZES["large"][at : at + 65536] for at in range(0, 3_000_000, 65536)), f"{FOLDER}/stream")
    expect("a stream on the server", SIZES["large"], stored(f"{FOLDER}/stream"))
    expect("a stream read back", SIZES["large"], b"".join(client.download_iter(f"{FOLDER}/stream")))
    client.clean(f"{FOLDER}/stream")

with step("list"):
    expect("names in the list", listed, sorted(client.list(f"{FOLDER}/names")))
    expect("list", sorted([*SIZES, "names/", "深/"]), sorted(client.list(FOLDER)))
    files = [info for info in client.list(FOLDER, get_info=True) if not info["isdir"]]
    sizes = {info["path"].rsplit("/", 1)[-1]: int(info["size"]) for info in files}
    expect("sizes in the list", {name: len(content) for name, content in SIZES.items()}, sizes)

with step("info"):
    info = client.info(f"{FOLDER}/large")
    expect("size", "3000000", info["size"])
    expect("modified", modified(f"{FOLDER}/large"), int(parsedate_to_datetime(info["modified"]).timestamp()))
    check("there is an etag", info["etag"], info)

with step("properties"):
    author = {"namespace": "urn:example", "name": "author"}
    client.set_property(f"{FOLDER}/one", {**author, "value": "梅 & Söhne"})
    expect("a property of its own", "梅 & Söhne", client.get_property(f"{FOLDER}/one", author))
    client.set_property(f"{FOLDER}/one", {"namespace": "DAV:", "name": "lastmodified", "value": str(OLD_TIME)})
    expect("the time that was set", OLD_TIME, modified(f"{FOLDER}/one"))

with step("free"):
    expect_room("free space at the root", lambda _, free: free, client.free)
    expect_room("free space at /home", lambda _, free: free, connected("/disk/dav/home").free)

with step("move"):
    client.resource(f"{FOLDER}/one").rename("改名 #1.txt")
    expect("the renamed file", b"1", stored(f"{FOLDER}/改名 #1.txt"))
    client.move(f"{FOLDER}/改名 #1.txt", f"{FOLDER}/深/one")
    refused("a move onto a file", WebDavException, lambda: client.move(f"{FOLDER}/empty", f"{FOLDER}/深/one"))
    client.move(f"{FOLDER}/names", f"{FOLDER}/深/names 2")
    expect("names after a move", listed, sorted(client.list(f"{FOLDER}/深/names 2")))
    expect("what was moved is gone", False, client.check(f"{FOLDER}/names"))

with step("copy"):
    client.copy(f"{FOLDER}/large", f"{FOLDER}/large 2")
    expect("the copy", SIZES["large"], stored(f"{FOLDER}/large 2"))
    client.copy(f"{FOLDER}/深", f"{FOLDER}/深 2", depth="infinity")
    expect("names after a copy", listed, sorted(client.list(f"{FOLDER}/深 2/names 2")))

with step("upload_directory"):
    top, files = local_tree("tree")
    client.upload_directory(f"{FOLDER}/tree", str(top))
    expect("the tree on the server", files, stored_tree(f"{FOLDER}/tree", files))
    client.download_directory(f"{FOLDER}/tree", str(WORK / "tree back"))
    expect("the tree read back", files, read_tree(WORK / "tree back"))
    # Over one that is there: it is cleaned first.
    shutil.rmtree(top / "深")
    client.upload_directory(f"{FOLDER}/tree", str(top))
    expect("the tree uploaded again", ["a.txt"], client.list(f"{FOLDER}/tree"))

with step("clean"):
    client.clean(f"{FOLDER}/large")
    expect("check of a deleted file", False, client.check(f"{FOLDER}/large"))
    refused("info of a deleted file", RemoteResourceNotFound, lambda: client.info(f"{FOLDER}/large"))
    client.clean(FOLDER)
    expect("check of the deleted folder", False, client.check(FOLDER))
    refused("list of the deleted folder", RemoteResourceNotFound, lambda: client.list(FOLDER))

finish()
