"""The clients that OpenAPI Generator makes from both API documents, in packages yunlab_portal and yunlab_disk."""

import importlib
import json
import os
import pathlib
import pkgutil
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib.metadata import version

import yunlab_disk
import yunlab_portal
from yunlab_portal import AccessTokenForm, Confirmation, Credentials, Scope, UserFields, UserPayload, WorksheetChange, WorksheetForm
from yunlab_portal.exceptions import ForbiddenException, NotFoundException, UnauthorizedException
from yunlab_portal.exceptions import UnprocessableEntityException

from .harness import FOLDER, NAMES, ORIGIN, SIZES, SPACED, TOKEN, USER
from .harness import check, expect, finish, refused, step, stored

print("openapi-generator", version("openapi-generator-cli"), flush=True)


def readable(name):
    """The operations of a document that read without parameters: their tags and their generated names."""
    path = pathlib.Path(__file__).resolve().parents[3] / "openapi" / f"{name}.json"
    for item in json.loads(path.read_text())["paths"].values():
        operation = item.get("get")
        if not operation or "101" in operation["responses"]:
            continue
        if not any(parameter["required"] for parameter in operation.get("parameters", [])):
            yield operation["tags"][0], re.sub("([A-Z])", r"_\1", operation["operationId"]).lower()


class Portal:
    """The generated portal client with one token."""

    def __init__(self, token):
        client = yunlab_portal.ApiClient(yunlab_portal.Configuration(host=ORIGIN, access_token=token))
        self.session = yunlab_portal.SessionApi(client)
        self.profile = yunlab_portal.ProfileApi(client)
        self.users = yunlab_portal.UsersApi(client)
        self.worksheets = yunlab_portal.WorksheetsApi(client)


for package in [yunlab_portal, yunlab_disk]:
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        with step(f"import of {module.name}"):
            importlib.import_module(module.name)

with step("sign-in"):
    anonymous = Portal(None)
    wrong = Credentials(username=USER, password="wrong")
    refused("a wrong password", UnprocessableEntityException, lambda: anonymous.session.session_login(wrong))
    right = Credentials(username=USER, password=os.environ["YUNLAB_PASSWORD"])
    person = Portal(anonymous.session.session_login(right).jwt)

with step("own profile"):
    people = person.users.users_public(q=USER).items
    expect("people of this name", [USER], [one.username for one in people])
    own = person.users.users_get(people[0].id)
    expect("own user name and role", (USER, 2), (own.username, own.role))

form = WorksheetForm(type="other", title="生成的客户端 #1", content="第一行\n第二行")

with step("access tokens"):
    expires = datetime.now(UTC) + timedelta(hours=1)
    wanted = AccessTokenForm(name="生成的客户端", scopes=[Scope.READ], expires=expires)
    make = lambda: person.profile.access_tokens_create(wanted)
    refused("a token without the password", UnprocessableEntityException, make)
    person.session.session_confirm(Confirmation(password=os.environ["YUNLAB_PASSWORD"]))
    made = make()
    check("the new token is listed", made.id in [one.id for one in person.profile.access_tokens_list().items], "no")
    limited = Portal(made.token)
    limited.worksheets.worksheets_list()
    refused("a write with a token for reading", ForbiddenException, lambda: limited.worksheets.worksheets_create(form))
    person.profile.access_tokens_delete(made.id)
    refused("a deleted token", UnauthorizedException, limited.worksheets.worksheets_list)

with step("work orders"):
    worksheets = Portal(TOKEN).worksheets
    made = worksheets.worksheets_create(form)
    expect("work orders in the list", [made.id], [one.id for one in worksheets.worksheets_list(mine=True).worksheets])
    worksheets.worksheets_update(made.id, WorksheetChange(title="改名 😀"))
    read = worksheets.worksheets_get(made.id)
    expect("the work order", ("改名 😀", form.content, "other"), (read.title, read.content, read.type))
    worksheets.worksheets_delete(made.id)
    refused("a deleted work order", NotFoundException, lambda: worksheets.worksheets_get(made.id))

with step("users"):
    users = Portal(os.environ["YUNLAB_ADMIN_TOKEN"]).users
    made = users.users_create(UserPayload(UserFields(username="generated", name="生成", password="client2026")))
    expect("users in the list", [made.id], [one.id for one in users.users_list(q="generated").items])
    users.users_update(made.id, UserPayload(UserFields(name="改名")))
    expect("the user's name", "改名", users.users_get(made.id).name)
    users.users_delete(made.id)
    refused("a deleted user", NotFoundException, lambda: users.users_get(made.id))

client = yunlab_disk.ApiClient(yunlab_disk.Configuration(host=f"{ORIGIN}/disk", access_token=TOKEN))
resources = yunlab_disk.ResourcesApi(client)
contents = yunlab_disk.RawApi(client)
# The path in the address has no slash before it.
TOP = FOLDER.removeprefix("/")


def upload(path, content):
    """Uploads a file and reads it back."""
    resources.create_resource(path, body=content)
    expect(f"{path} on the server", content, stored(f"/{path}"))
    expect(f"{path} read back", content, bytes(contents.download(path)))


def rename(path, new):
    """Renames and says where it is now."""
    return resources.change_resource(path, "rename", f"/{TOP}/{new}", encoded=1).path


def listed(path):
    """The names in a folder, sorted."""
    return sorted(item.name for item in resources.get_resource(path).items)


with step("folders"):
    # This generator's code refuses to send no body where bytes may be sent.
    resources.create_resource(f"{TOP}/", body=b"")
    resources.create_resource(f"{TOP}/names/", body=b"")

for name, content in SIZES.items():
    with step(f"upload of {name}"):
        upload(f"{TOP}/{name}", content)

for name in NAMES + SPACED:
    with step(f"name {name!r}"):
        upload(f"{TOP}/names/{name}", name.encode())

with step("upload over tus"):
    large = SIZES["large"]
    yunlab_disk.TusApi(client).create_upload(f"{TOP}/tus", upload_length=len(large), body=large)
    expect("the upload over tus", large, stored(f"{FOLDER}/tus"))
    resources.delete_resource(f"{TOP}/tus")

with step("refusals"):
    conflict = yunlab_disk.exceptions.ConflictException
    refused("an upload onto a file", conflict, lambda: resources.create_resource(f"{TOP}/one", body=b"2"))

with step("renames"):
    new = "改名 #1 100%25.txt"
    expect("where the file is now", f"{FOLDER}/{new}", rename(f"{TOP}/one", new))
    expect("where the folder is now", f"{FOLDER}/目录 😀", rename(f"{TOP}/names", "目录 😀"))
    expect("the renamed file", b"1", stored(f"{FOLDER}/{new}"))
    expect("names after the rename", sorted(NAMES + SPACED), listed(f"{TOP}/目录 😀/"))
    expect("names in the work folder", sorted(["empty", "large", new, "目录 😀"]), listed(f"{TOP}/"))

with step("usage"):
    usage = yunlab_disk.UsageApi(client).get_usage("home/")
    check("what is used", len(SIZES["large"]) < usage.used < usage.quota, usage)

with step("deletion"):
    resources.delete_resource(TOP)
    refused("a deleted folder", yunlab_disk.exceptions.NotFoundException, lambda: resources.get_resource(TOP))

# Each response must fit the types of the document; a conflict is the answer of features that are not configured here,
# and 404 of missing objects, such as a CA of the lab.
for package, host in [(yunlab_portal, ORIGIN), (yunlab_disk, f"{ORIGIN}/disk")]:
    client = package.ApiClient(package.Configuration(host=host, access_token=os.environ["YUNLAB_ADMIN_TOKEN"]))
    for tag, operation in readable(package.__name__.removeprefix("yunlab_")):
        nothing = (package.exceptions.ConflictException, package.exceptions.NotFoundException)
        with step(f"{package.__name__} {operation}"), suppress(*nothing):
            getattr(getattr(package, f"{tag.capitalize()}Api")(client), operation)()

finish()
