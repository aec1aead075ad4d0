"""webdav4 from PyPI and the file system that it gives to fsspec."""

import io
import re
from importlib.metadata import version

import fsspec
import webdav4
from webdav4.client import Client, ResourceAlreadyExists, ResourceNotFound

from .harness import APP_PASSWORD, DAV, FOLDER, NAMES, SIZES, USER, WORK
from .harness import check, expect, finish, local_tree, modified, read_tree, refused, step, stored, stored_tree

print(f"webdav4 {webdav4.__version__}, fsspec {version('fsspec')}", flush=True)

# Its HTTP library takes #, ? and % in a path for parts of an address.
NAMES = [re.sub("[#?%]", "", name) for name in NAMES]

client = Client(DAV, auth=(USER, APP_PASSWORD))

with step("mkdir"):
    expect("exists of what is not there", False, client.exists(FOLDER))
    client.mkdir(FOLDER)
    client.mkdir(f"{FOLDER}/names")
    expect("exists of a new folder", True, client.exists(FOLDER))
    refused("mkdir of what is there", ResourceAlreadyExists, lambda: client.mkdir(FOLDER))

for name, content in SIZES.items():
    with step(f"upload of {name}"):
        (WORK / name).write_bytes(content)
        client.upload_file(WORK / name, f"{FOLDER}/{name}")
        expect(f"{name} on the server", content, stored(f"{FOLDER}/{name}"))
        client.download_file(f"{FOLDER}/{name}", WORK / "back")
        expect(f"{name} read back", content, (WORK / "back").read_bytes())

for name in NAMES:
    with step(f"name {name!r}"):
        client.upload_fileobj(io.BytesIO(name.encode()), f"{FOLDER}/names/{name}")
        expect(f"{name!r} on the server", name.encode(), stored(f"{FOLDER}/names/{name}"))
        with client.open(f"{FOLDER}/names/{name}", "rb") as file:
            expect(f"{name!r} read back", name.encode(), file.read())

with step("properties"):
    large = f"{FOLDER}/large"
    expect("content_length", 3_000_000, client.content_length(large))
    expect("modified", modified(large), int(client.modified(large).timestamp()))
    expect("modified of a folder", modified(FOLDER), int(client.modified(FOLDER).timestamp()))
    check("there is an etag", client.etag(large), client.etag(large))
    check("there is a creation time", client.created(FOLDER), client.created(FOLDER))
    check("there is a content type", client.content_type(large), client.content_type(large))
with step("kinds"):
    expect("isdir of a folder", (True, False), (client.isdir(FOLDER), client.isfile(FOLDER)))
    expect("isfile of a file", (False, True), (client.isdir(f"{FOLDER}/one"), client.isfile(f"{FOLDER}/one")))

with step("ls"):
    expect(
        "names in ls", sorted(NAMES), sorted(path.rsplit("/", 1)[-1] for path in client.ls(f"{FOLDER}/names", False))
    )
    sizes = {
        item["name"].rsplit("/", 1)[-1]: item["content_length"] for item in client.ls(FOLDER) if item["type"] == "file"
    }
    expect("sizes in ls", {name: len(content) for name, content in SIZES.items()}, sizes)
    info = client.info(f"{FOLDER}/large")
    expect("info", ("file", 3_000_000), (info["type"], info["content_length"]))
    expect("info of a folder", "directory", client.info(FOLDER)["type"])

with step("move and copy"):
    refused("an upload onto a file", ResourceAlreadyExists, lambda: client.upload_file(WORK / "one", f"{FOLDER}/empty"))
    client.move(f"{FOLDER}/one", f"{FOLDER}/names/改名.txt")
    expect("the moved file", b"1", stored(f"{FOLDER}/names/改名.txt"))
    refused("a move onto a file", ResourceAlreadyExists, lambda: client.move(f"{FOLDER}/empty", f"{FOLDER}/large"))
    client.copy(f"{FOLDER}/names", f"{FOLDER}/names 2")
    expect("the copied folder", len(NAMES) + 1, len(client.ls(f"{FOLDER}/names 2")))
    client.move(f"{FOLDER}/names 2", f"{FOLDER}/names 3")
    expect("what was moved is gone", False, client.exists(f"{FOLDER}/names 2"))

with step("remove"):
    client.remove(f"{FOLDER}/empty")
    expect("exists of a deleted file", False, client.exists(f"{FOLDER}/empty"))
    client.remove(f"{FOLDER}/names")
    refused("ls of a deleted folder", ResourceNotFound, lambda: client.ls(f"{FOLDER}/names"))

files = fsspec.filesystem("webdav", base_url=DAV, auth=(USER, APP_PASSWORD))
# What fsspec finds begins without a slash, and so must what it is compared with.
top = f"{FOLDER}/fsspec".lstrip("/")

with step("fsspec: makedirs"):
    files.makedirs(f"{top}/深/更 深/b")
    files.makedirs(f"{top}/深/更 深/b", exist_ok=True)
    refused("makedirs of what is there", FileExistsError, lambda: files.makedirs(f"{top}/深"))
    expect("isdir", True, files.isdir(f"{top}/深/更 深/b"))

with step("fsspec: write"):
    files.pipe_file(f"{top}/one", b"1")
    with files.open(f"{top}/large", "wb") as file:
        file.write(SIZES["large"][:1_000_000])
        file.write(SIZES["large"][1_000_000:])
    expect("a written file on the server", SIZES["large"], stored(f"/{top}/large"))

with step("fsspec: read"):
    expect("a file read back", SIZES["large"], files.cat_file(f"{top}/large"))
    expect("a range", SIZES["large"][1_000_000:1_000_100], files.cat_file(f"{top}/large", 1_000_000, 1_000_100))
    with files.open(f"{top}/large", "rb") as file:
        file.seek(2_000_000)
        expect("what follows a seek", SIZES["large"][2_000_000:2_000_100], file.read(100))
with step("fsspec: properties"):
    expect("size", 3_000_000, files.size(f"{top}/large"))
    expect("modified", modified(f"/{top}/large"), int(files.modified(f"{top}/large").timestamp()))
    check("there is a checksum", files.checksum(f"{top}/large"), files.checksum(f"{top}/large"))

with step("fsspec: trees"):
    local, tree = local_tree("tree")
    files.put(f"{local}/", f"{top}/tree/", recursive=True)
    expect("the tree on the server", tree, stored_tree(f"/{top}/tree", tree))
    found = {path.split("/tree/", 1)[-1] for path in files.find(f"{top}/tree")}
    expect("find", set(tree), found)
    expect("du", sum(map(len, tree.values())), files.du(f"{top}/tree"))
    files.get(f"{top}/tree/", f"{WORK}/tree back/", recursive=True)
    expect("the tree read back", tree, read_tree(WORK / "tree back"))
    files.copy(f"{top}/tree", f"{top}/tree 2", recursive=True)
    files.mv(f"{top}/tree 2", f"{top}/tree 3", recursive=True)
    expect("the tree copied and moved", tree, stored_tree(f"/{top}/tree 3", tree))

with step("fsspec: rm"):
    files.rm(f"{top}/one")
    expect("exists of a deleted file", False, files.exists(f"{top}/one"))
    files.rm(FOLDER, recursive=True)
    expect("exists of the deleted folder", False, files.exists(FOLDER))

finish()
