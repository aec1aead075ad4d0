// Engines that are only memory, each a server of Docker's API at a socket of its own: as much of it as the portal asks.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";

const IMAGE = `sha256:${"1".repeat(64)}`;
const info = (name) => ({
  ID: name, Name: name, ServerVersion: "20.10.24", OperatingSystem: "Debian GNU/Linux 12 (bookworm)", KernelVersion: "6.1.0",
  Architecture: "x86_64", NCPU: 128, MemTotal: 2 ** 40, DockerRootDir: "/var/lib/docker", Driver: "overlay2", DriverStatus: [],
  CgroupDriver: "systemd", CgroupVersion: "2", LiveRestoreEnabled: true, Runtimes: { runc: {} }, DefaultRuntime: "runc", Warnings: null,
});

/** Nothing runs in them. `asked` counts the calls. */
export class MemoryEngine {
  containers = new Map();
  asked = 0;

  static async listen(folder, name) {
    const engine = new MemoryEngine();
    engine.socket = join(folder, `${name}.sock`);
    engine.server = createServer((request, answer) => engine.answer(name, request, answer));
    await new Promise((resolve) => engine.server.listen(engine.socket, resolve));
    return engine;
  }

  get endpoint() {
    return `unix://${this.socket}`;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  async answer(name, request, answer) {
    this.asked += 1;
    let body = "";
    for await (const part of request) body += part;
    const { pathname, searchParams } = new URL(request.url, "http://engine");
    const path = pathname.replace(/^\/v\d+\.\d+/, "");
    const [status, said] = this.say(name, `${request.method} ${path}`, searchParams, body && JSON.parse(body));
    // What happens is told to whoever listens; here nothing does by itself.
    if (status === 0) return answer.writeHead(200, { "content-type": "application/json" }).flushHeaders();
    answer.writeHead(status, { "content-type": "application/json", "api-version": "1.41" });
    answer.end(said === undefined ? "" : JSON.stringify(said));
  }

  say(name, what, query, body) {
    if (what === "GET /_ping" || what === "HEAD /_ping") return [200, "OK"];
    if (what === "GET /version") return [200, { Version: "20.10.24", ApiVersion: "1.41", MinAPIVersion: "1.12" }];
    if (what === "GET /info") return [200, info(name)];
    if (what === "GET /events") return [0];
    if (what === "GET /containers/json") return [200, [...this.containers.values()].map(listed)];
    if (what === "POST /containers/create") return [201, this.create(query.get("name"), body)];
    const image = /^GET \/images\/(.+)\/(json|history)$/.exec(what);
    if (image) return [200, image[2] === "history" ? [] : { Id: IMAGE, RepoTags: [image[1]], Created: "2026-01-01T00:00:00Z", Size: 1, RootFS: { Type: "layers", Layers: [] }, Config: {} }];
    const [, called, verb] = /^\w+ \/containers\/([^/]+)(?:\/(.*))?$/.exec(what) ?? [];
    const found = [...this.containers.values()].find((one) => one.Name === `/${called}` || one.Id === called);
    if (!found) return [404, { message: `No such container: ${called}` }];
    if (verb === "json") return [200, found];
    if (verb === "start") return (found.State.Status = "running", [204]);
    if (verb === "stop") return (found.State.Status = "exited", [204]);
    if (verb === "stats") return [200, used()];
    if (what.startsWith("DELETE ")) return (this.containers.delete(found.Name), [204]);
    return [501, { message: `${what} is not simulated` }];
  }

  create(name, { Image, Labels, HostConfig = {} }) {
    const Id = randomBytes(32).toString("hex");
    const Created = new Date().toISOString();
    this.containers.set(`/${name}`, { Id, Name: `/${name}`, Created, Image: IMAGE, Config: { Image, Labels, Env: [] }, HostConfig, State: { Status: "created" } });
    return { Id, Warnings: [] };
  }
}

const listed = ({ Id, Name, Created, Image, Config, State }) => ({
  Id, Names: [Name], Image: Config.Image, ImageID: Image, Created: Math.floor(Date.parse(Created) / 1000), Labels: Config.Labels ?? {}, State: State.Status, Ports: [],
});

/** A hundredth of a core. */
const used = () => ({
  read: new Date().toISOString(),
  cpu_stats: { cpu_usage: { total_usage: Date.now() * 10_000 }, online_cpus: 128 },
  memory_stats: { usage: 100 << 20, limit: 256 << 20, stats: {} },
  pids_stats: { current: 2 },
  networks: { eth0: { rx_bytes: 0, tx_bytes: 0 } },
});
