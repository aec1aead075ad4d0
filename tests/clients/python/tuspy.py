"""tuspy from PyPI: one endpoint for a folder with the file's name in the metadata, and one for each file."""

import asyncio
import io
from importlib.metadata import version
from urllib.parse import quote

from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError
from tusclient.storage.filestorage import FileStorage

from .harness import FOLDER, NAMES, ORIGIN, SIZES, SPACED, TOKEN, WORK
from .harness import check, children, entry, expect, finish, refused, rest, step, stored

print("tuspy", version("tuspy"), flush=True)

MEBIBYTE = 1 << 20


def connected(path):
    """A client of the endpoint for this path."""
    return TusClient(f"{ORIGIN}/disk/api/tus{quote(path)}", headers={"Authorization": f"Bearer {TOKEN}"})


# tus knows no folders.
rest("POST", "resources", f"{FOLDER}/names/")
folder = connected(f"{FOLDER}/")
large = SIZES["large"]

for name, content in SIZES.items():
    with step(f"upload of {name} to its own address"):
        connected(f"{FOLDER}/own {name}").uploader(file_stream=io.BytesIO(content)).upload()
        expect(f"own {name} on the server", content, stored(f"{FOLDER}/own {name}"))
    with step(f"upload of {name} to the folder's address"):
        folder.uploader(file_stream=io.BytesIO(content), metadata={"filename": name}).upload()
        expect(f"{name} on the server", content, stored(f"{FOLDER}/{name}"))

names = connected(f"{FOLDER}/names/")
for name in NAMES + SPACED:
    with step(f"name {name!r}"):
        names.uploader(file_stream=io.BytesIO(name.encode()), metadata={"filename": name}).upload()
        expect(f"{name!r} on the server", name.encode(), stored(f"{FOLDER}/names/{name}"))

with step("a file in the work folder"):
    (WORK / "large").write_bytes(large)

with step("chunks with checksums"):
    uploader = folder.uploader(
        str(WORK / "large"), chunk_size=MEBIBYTE, metadata={"filename": "chunks"}, upload_checksum=True
    )
    uploader.upload()
    expect("chunks on the server", large, stored(f"{FOLDER}/chunks"))

with step("resumed by its address"):
    begun = folder.uploader(str(WORK / "large"), chunk_size=MEBIBYTE, metadata={"filename": "resumed"})
    begun.upload_chunk()
    expect("an unfinished upload in the folder", None, stored(f"{FOLDER}/resumed"))
    again = folder.uploader(str(WORK / "large"), url=begun.url)
    expect("the offset", MEBIBYTE, again.offset)
    again.upload()
    expect("resumed on the server", large, stored(f"{FOLDER}/resumed"))

with step("resumed by its fingerprint"):
    kept = {"store_url": True, "url_storage": FileStorage(str(WORK / "uploads.json"))}
    begun = folder.uploader(str(WORK / "large"), chunk_size=MEBIBYTE, metadata={"filename": "remembered"}, **kept)
    begun.upload_chunk()
    again = folder.uploader(str(WORK / "large"), metadata={"filename": "remembered"}, **kept)
    expect("the remembered offset", MEBIBYTE, again.offset)
    again.upload()
    expect("remembered on the server", large, stored(f"{FOLDER}/remembered"))

with step("asynchronous"):
    uploader = folder.async_uploader(file_stream=io.BytesIO(large), chunk_size=MEBIBYTE, metadata={"filename": "async"})

    async def upload():
        uploader.set_url(await uploader.create_url())
        await uploader.upload()

    asyncio.run(upload())
    expect("async on the server", large, stored(f"{FOLDER}/async"))

with step("refusals"):
    twice = folder.uploader(file_stream=io.BytesIO(b"2"), metadata={"filename": "one"})
    refused("an upload onto a file", TusCommunicationError, twice.upload)
    expect("the file that was there", b"1", stored(f"{FOLDER}/one"))
    for name in ["", ".", "..", "a/../../b", "/one"]:
        outside = folder.uploader(file_stream=io.BytesIO(b"x"), metadata={"filename": name})
        refused(f"an upload as {name!r}", TusCommunicationError, outside.upload)

with step("what is there in the end"):
    expect("names in the folder", sorted(NAMES + SPACED), children(f"{FOLDER}/names"))
    rest("DELETE", "resources", FOLDER)
    check("the deleted folder is gone", entry(FOLDER) is None, "a folder")

finish()
