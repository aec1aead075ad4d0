// What these programs share: their settings, how they report, and a look at the server past the client under test.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

export const origin = process.env.YUNLAB_ORIGIN;
export const folder = process.env.YUNLAB_FOLDER;
export const work = process.env.YUNLAB_WORK;
export const bearer = { Authorization: `Bearer ${process.env.YUNLAB_TOKEN}` };

const lines = readFileSync(new URL("../names.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");
export const names = [...lines, " leading", "trailing "];
export const contents = { empty: Buffer.alloc(0), one: Buffer.from("1"), large: randomBytes(3_000_000) };

// Reports a failed expectation as one line.
export function fail(what, wanted, came) {
  process.exitCode = 1;
  console.error(`${what}: wanted ${short(wanted)}, came ${short(came)}`.replace(/\s+/g, " "));
}

function short(value) {
  if (Buffer.isBuffer(value)) {
    return `${value.length} bytes with SHA-256 ${createHash("sha256").update(value).digest("hex").slice(0, 12)}`;
  }
  const text = typeof value === "string" ? value || "nothing" : (JSON.stringify(value) ?? "nothing");
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}

export function expect(what, wanted, came) {
  const same =
    Buffer.isBuffer(wanted) && Buffer.isBuffer(came)
      ? wanted.equals(came)
      : JSON.stringify(wanted) === JSON.stringify(came);
  if (!same) fail(what, wanted, came);
}

// Reports an error and continues with the next step.
export async function step(what, act) {
  try {
    await act();
  } catch (error) {
    fail(what, "no error", `${error.name}: ${error.message}`);
  }
}

// Wants the call to be refused with this status.
export async function refused(what, status, call) {
  try {
    fail(what, `status ${status}`, (await call()) ?? "no error");
  } catch (error) {
    const came = error.status ?? error.originalResponse?.getStatus();
    if (came !== status) fail(what, `status ${status}`, `${error.name}: ${error.message}`);
  }
}

// Encodes each segment of a path.
export const encoded = (path) => path.split("/").map(encodeURIComponent).join("/");

// The answer of the disk's own interface, or none where nothing is.
export async function rest(method, call, path) {
  const answer = await fetch(`${origin}/disk/api/${call}${encoded(path)}`, { method, headers: bearer });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`${method} ${call}${path}: ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

// The bytes of a file as they are on the server.
export const stored = (path) => rest("GET", "raw", path);

// What the server says of a file or folder.
export async function entry(path) {
  const answer = await rest("GET", "resources", path);
  return answer && JSON.parse(answer.toString());
}

// The names in a folder as they are on the server.
export const children = async (path) => (await entry(path))?.items.map((item) => item.name).sort();

// How much the user has stored, and how much more there is room for.
async function room() {
  const usage = JSON.parse((await rest("GET", "usage", "/home/")).toString());
  return { used: usage.used, available: usage.quota - usage.used };
}

// Compares a client's report of the room; repeats the query if the count was renewed meanwhile.
export async function expectRoom(what, ask) {
  let wanted;
  let came;
  for (let tries = 0; tries < 5; tries += 1) {
    wanted = await room();
    came = await ask();
    if ((await room()).used === wanted.used) break;
  }
  expect(what, wanted, came);
}

// The version that a package says it has.
export function version(name) {
  const manifest = new URL(`node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(manifest, "utf8")).version;
}
