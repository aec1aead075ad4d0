// Packs a folder as a container image of one layer: an OCI image layout in a tar, which `docker load` of any age takes
// too. No daemon, no root: owners, times and file capabilities are written, not copied.
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const [tree, release, epoch, level] = process.argv.slice(2);
const time = Number(epoch);
/** Of the service, as /etc/passwd in the image says. */
const account = 10001;
const owned = new Set(["var/lib/yunlab"]);
const modes = new Map([
  ["tmp", 0o1777],
  ["var/lib/yunlab", 0o750],
]);

/** CAP_CHOWN, CAP_DAC_OVERRIDE and CAP_FOWNER, permitted and effective (`struct vfs_cap_data`, revision 2). */
const capabilities = Buffer.alloc(20);
capabilities.writeUInt32LE(0x02000001, 0);
capabilities.writeUInt32LE((1 << 0) | (1 << 1) | (1 << 3), 4);

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

function padded(bytes) {
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

/** A header of ustar. */
function header({ name, mode, size = 0, type, target = "", owner = 0 }) {
  if (Buffer.byteLength(name) > 100 || Buffer.byteLength(target) > 100) throw new Error(`too long: ${name}`);
  const block = Buffer.alloc(512);
  const number = (value, at, length) => block.write(value.toString(8).padStart(length - 1, "0"), at);
  block.write(name, 0);
  number(mode, 100, 8);
  number(owner, 108, 8);
  number(owner, 116, 8);
  number(size, 124, 12);
  number(time, 136, 12);
  block.write(" ".repeat(8), 148);
  block.write(type, 156);
  block.write(target, 157);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** A record of PAX for the entry that follows; its length counts its own digits. */
function pax(key, value) {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  const record = Buffer.concat([Buffer.from(String(length)), rest]);
  return [header({ name: "PaxHeaders/0", mode: 0o644, size: record.length, type: "x" }), padded(record)];
}

function entries(folder = "") {
  const names = readdirSync(join(tree, folder)).sort();
  return names.flatMap((name) => {
    const path = folder ? `${folder}/${name}` : name;
    const meta = lstatSync(join(tree, path));
    const owner = owned.has(path) ? account : 0;
    const mode = modes.get(path) ?? meta.mode & 0o777;
    if (meta.isDirectory()) return [header({ name: `${path}/`, mode, type: "5", owner }), ...entries(path)];
    if (meta.isSymbolicLink()) {
      return [header({ name: path, mode: 0o777, type: "2", target: readlinkSync(join(tree, path)) })];
    }
    const content = readFileSync(join(tree, path));
    const rights = path === "usr/bin/yunlab" ? pax("SCHILY.xattr.security.capability", capabilities) : [];
    return [...rights, header({ name: path, mode, size: content.length, type: "0", owner }), padded(content)];
  });
}

const archive = (parts) => Buffer.concat([...parts, Buffer.alloc(1024)]);
const seconds = (count) => count * 1_000_000_000;

const layer = archive(entries());
const packed = gzipSync(layer, { level: Number(level) });
const created = new Date(time * 1000).toISOString();
const config = Buffer.from(
  JSON.stringify({
    created,
    architecture: "amd64",
    os: "linux",
    config: {
      User: `${account}:${account}`,
      ExposedPorts: { "8080/tcp": {} },
      Env: ["PATH=/usr/bin", "YUNLAB_LISTEN=0.0.0.0:8080", "YUNLAB_DATA_DIR=/var/lib/yunlab"],
      Entrypoint: ["/usr/bin/yunlab"],
      Volumes: { "/var/lib/yunlab": {} },
      WorkingDir: "/var/lib/yunlab",
      Labels: {
        "org.opencontainers.image.title": "YunLab",
        "org.opencontainers.image.version": release,
        "org.opencontainers.image.licenses": "Apache-2.0",
      },
      StopSignal: "SIGTERM",
      // Docker's own; OCI has none, which is why the compose file says it again.
      Healthcheck: {
        Test: ["CMD", "/usr/bin/yunlab", "healthcheck"],
        Interval: seconds(30),
        Timeout: seconds(10),
        StartPeriod: seconds(120),
      },
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${digest(layer)}`] },
    history: [{ created, created_by: "scripts/package" }],
  }),
);
const described = (bytes, mediaType) => ({ mediaType, digest: `sha256:${digest(bytes)}`, size: bytes.length });
const manifest = Buffer.from(
  JSON.stringify({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: described(config, "application/vnd.oci.image.config.v1+json"),
    layers: [described(packed, "application/vnd.oci.image.layer.v1.tar+gzip")],
  }),
);
const index = {
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.index.v1+json",
  manifests: [
    {
      ...described(manifest, "application/vnd.oci.image.manifest.v1+json"),
      platform: { architecture: "amd64", os: "linux" },
      annotations: {
        "io.containerd.image.name": `docker.io/library/yunlab:${release}`,
        "org.opencontainers.image.ref.name": release,
      },
    },
  ],
};
const blob = (bytes) => `blobs/sha256/${digest(bytes)}`;
// As Docker before 25 reads it.
const saved = [{ Config: blob(config), RepoTags: [`yunlab:${release}`], Layers: [blob(packed)] }];

const file = (name, content) => {
  const bytes = Buffer.from(content);
  return [header({ name, mode: 0o644, size: bytes.length, type: "0" }), padded(bytes)];
};
const folder = (name) => header({ name, mode: 0o755, type: "5" });
const whole = archive([
  folder("blobs/"),
  folder("blobs/sha256/"),
  ...[config, manifest, packed].flatMap((bytes) => file(blob(bytes), bytes)),
  ...file("index.json", JSON.stringify(index)),
  ...file("manifest.json", JSON.stringify(saved)),
  ...file("oci-layout", JSON.stringify({ imageLayoutVersion: "1.0.0" })),
]);
process.stdout.write(whole);
