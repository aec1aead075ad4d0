// Starting the product and its peers, and what they cost: CPU time and memory of a process with its children.
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const HERTZ = Number(execFileSync("getconf", ["CLK_TCK"]));
export const PASSWORD = "bench2026";

/** A port that nothing listens on. */
export function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** A running server: `headers` and `path` make its addresses comparable. */
class Server {
  constructor(name, child, port, options = {}) {
    Object.assign(this, { name, child, port, origin: `http://127.0.0.1:${port}`, headers: {}, ...options });
  }

  /** Process ids of the server and its children. */
  pids() {
    const all = [this.child.pid];
    for (const pid of all) {
      for (const task of readdirSync(`/proc/${pid}/task`)) {
        all.push(...readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number));
      }
    }
    return all;
  }

  /** CPU seconds so far. */
  cpu() {
    const own = (pid) => {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
      return (Number(fields[11]) + Number(fields[12])) / HERTZ;
    };
    return this.pids().reduce((sum, pid) => sum + own(pid), 0);
  }

  /** MiB that all processes hold now (`VmRSS`) or held at most since `forgetPeak` (`VmHWM`). */
  memory(field = "VmRSS") {
    const own = (pid) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    return this.pids().reduce((sum, pid) => sum + own(pid), 0) / 1024;
  }

  forgetPeak() {
    for (const pid of this.pids()) writeFileSync(`/proc/${pid}/clear_refs`, "5");
  }

  async ready(path) {
    for (;;) {
      if (this.child.exitCode !== null) throw new Error(`${this.name} did not start`);
      const answer = await fetch(this.origin + path, { headers: this.headers }).catch(() => undefined);
      await answer?.arrayBuffer();
      if (answer?.ok) return this;
    }
  }

  stop() {
    return new Promise((resolve) => {
      this.child.once("exit", resolve);
      this.child.kill();
    });
  }
}

function start(program, args, env = {}) {
  return spawn(program, args, { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, ...env } });
}

async function json(url, body, headers = {}) {
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } });
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer.json();
}

/** The product; the bench's data lie in its public share. */
export async function yunlab(binary, work, disk) {
  const port = await freePort();
  const data = join(work, "yunlab");
  const env = { YUNLAB_LISTEN: `127.0.0.1:${port}`, YUNLAB_DATA_DIR: data, YUNLAB_DISK_ROOT: disk, YUNLAB_ADMIN_PASSWORD: PASSWORD, YUNLAB_LOG_LEVEL: "error" };
  const server = new Server("yunlab", start(binary, [], env), port);
  await server.ready("/health");
  const { jwt } = await json(`${server.origin}/api/auth`, { username: "admin", password: PASSWORD });
  server.headers = { authorization: `Bearer ${jwt}` };
  server.file = (path) => `${server.origin}/disk/api/raw/share${path}`;
  server.list = (path) => `${server.origin}/disk/api/resources/share${path}`;
  server.upload = (path) => ["POST", `${server.origin}/disk/api/resources/share${path}?override=true`];
  return server;
}

/** nginx as a static file server with WebDAV's PUT. */
export async function nginx(workers, work, root) {
  const port = await freePort();
  const file = join(work, `nginx${workers}.conf`);
  writeFileSync(
    file,
    `daemon off; user root; worker_processes ${workers}; pid ${work}/nginx${workers}.pid; error_log stderr error;
events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_requests 1000000000; client_body_temp_path ${work}/body${workers};
proxy_temp_path ${work}/p; fastcgi_temp_path ${work}/f; uwsgi_temp_path ${work}/u; scgi_temp_path ${work}/s;
server { listen 127.0.0.1:${port}; root ${root}; client_max_body_size 0; dav_methods PUT DELETE; create_full_put_path on; autoindex on; autoindex_format json; } }`,
  );
  const server = new Server(`nginx (${workers})`, start("nginx", ["-e", "stderr", "-c", file]), port);
  server.file = server.list = (path) => server.origin + path;
  server.upload = (path) => ["PUT", server.origin + path];
  return server.ready("/small.bin");
}

/** dufs, with everything allowed. */
export async function dufs(bin, work, root) {
  const port = await freePort();
  const server = new Server("dufs", start(join(bin, "dufs"), ["-A", "-b", "127.0.0.1", "-p", String(port), "--log-format", "", root]), port);
  server.file = (path) => server.origin + path;
  server.list = (path) => `${server.origin}${path}?json`;
  server.upload = (path) => ["PUT", server.origin + path];
  return server.ready("/small.bin");
}

/** File Browser, without a login of its own so that it too only checks a token. `name` is the program's. */
export async function filebrowser(bin, work, root, name = "filebrowser") {
  const port = await freePort();
  const database = join(work, "filebrowser.db");
  const program = join(bin, name);
  execFileSync(program, ["config", "init", "-d", database, "--auth.method=noauth", "-r", root], { stdio: "ignore" });
  execFileSync(program, ["users", "add", "bench", "bench-2026-bench", "--perm.admin", "-d", database], { stdio: "ignore" });
  const server = new Server("File Browser", start(program, ["-d", database, "-a", "127.0.0.1", "-p", String(port), "-r", root]), port);
  await server.ready("/health");
  const token = await (await fetch(`${server.origin}/api/login`, { method: "POST", body: "{}" })).text();
  server.headers = { "x-auth": token };
  server.file = (path) => `${server.origin}/api/raw${path}`;
  server.list = (path) => `${server.origin}/api/resources${path}`;
  server.upload = (path) => ["POST", `${server.origin}/api/resources${path}?override=true`];
  return server;
}

/** One after the other all that are measured, ours first, on the same files: the public share of our disk. */
export async function* launch(binary, bin, work, disk) {
  const root = join(disk, "share");
  yield await yunlab(binary, work, disk);
  for (const workers of [1, 2]) yield await nginx(workers, work, root);
  yield await dufs(bin, work, root);
  yield await filebrowser(bin, work, root);
}
