// A server for unit tests: answers by method and path, remembers what was asked, and fails on anything unexpected.
import { vi } from "vitest";
import { storeToken } from "@/shared/api/token";
import type { UpdateInfo } from "@/shared/api/update-info";

type Answer = (request: Request) => Response | Promise<Response>;

export interface Call {
  key: string;
  token: string | null;
  body: string;
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

export const problem = (status: number, code: string, message: string, headers?: Record<string, string>) =>
  json({ code, message, fields: [], request_id: "req-1" }, status, headers);

export const publicSettings = {
  productName: "云实验室",
  version: "4.3.29",
  storageHost: "/disk",
  baseUrl: "",
  internalBaseUrl: "",
  publicImageUrl: "",
  faqLink: "",
  thanksText: "",
  thanksLink: "",
  copyright: "",
  minerNotice: "",
  usernameAllowsUnderscore: false,
  idleMinutes: 0,
};

export const person = (role: number) => ({
  id: 7,
  username: "zhangmin",
  name: "张敏",
  email: "",
  phone: "",
  role,
  avatar: "",
  introduction: "",
  active: true,
  source: "local",
  instanceLimit: 4,
  instanceLimitOffset: 0,
  GPUNumlimit: 2,
  CPUPeriodQuota: 0,
  memoryLimit: 0,
  diskQuota: 0,
  groupLeader: false,
  groups: [],
  created: "2026-01-01T00:00:00.000Z",
  lastLogin: null,
  endsAt: null,
  temporaryQuotas: null,
});

const quota = { used: 0, limit: 4 };

const dashboard = {
  quotas: {
    instances: { ...quota, base: 4, offset: 0 },
    gpus: quota,
    cpu: quota,
    memory: quota,
    disk: { limit: 0 },
  },
  hasInitialPassword: false,
  admin: null,
};

/** The latest version runs. */
export const updateInfo: UpdateInfo = {
  version: "4.3.29",
  latestversion: "4.3.29",
  notes: "",
  state: "idle",
  configured: false,
  checked: null,
  downloaded: 0,
  size: 0,
  error: "",
  failed: null,
};

/** Nothing was requested. */
export const noWorksheets = {
  UnDoTotal: 0,
  Worksheets: [],
  total: 0,
  unread: 0,
  counts: { undo: 0, doing: 0, done: 0, closed: 0 },
};

let serial = 0;

/** A token as the server makes them; `age` in seconds since it was issued. */
export function makeToken({ role = 2, age = 3600, id = 7 } = {}): string {
  const part = (value: object) =>
    btoa(JSON.stringify(value)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const now = Math.floor(Date.now() / 1000);
  serial += 1;
  const claims = {
    exp: now + 86_400 - age,
    iat: now - age,
    jti: String(serial),
    id,
    role,
    username: "zhangmin",
  };
  return `${part({ alg: "EdDSA" })}.${part(claims)}.c2ln`;
}

export function signedIn(role = 2, age?: number): string {
  const token = makeToken({ role, age });
  storeToken(token);
  return token;
}

/** The time is trusted. */
const clock = {
  trusted: true,
  now: "2026-11-20T10:00:00Z",
  wall: "2026-11-20T10:00:00Z",
  heldSince: null,
  releaseAt: null,
  witnesses: [],
};

/** A request that its caller breaks off has no answer, as in a browser. */
const brokenOff = ({ signal }: Request) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

/** Puts the server in place. What a test does not override behaves as for a signed-in user. */
export function serve(overrides: Record<string, Answer> = {}, role = 2) {
  const calls: Call[] = [];
  const answers: Record<string, Answer> = {
    "GET /health": () => new Response("ok"),
    "GET /api/settings/public": () => json(publicSettings),
    "GET /api/update": () => json(updateInfo),
    "GET /api/users/7": () => json(person(role)),
    "GET /api/dashboard": () => json(dashboard),
    "GET /api/announcements": () => json({ items: [], total: 0 }),
    "GET /api/worksheets": () => json(noWorksheets),
    "GET /api/notices": () => json({ items: [], total: 0, unread: 0 }),
    "GET /api/notices/unread": () => json({ unread: 0 }),
    "GET /api/clock": () => json(clock),
    "GET /api/findings": () => json({ items: [], total: 0 }),
    "GET /third-party.json": () => json({ packages: [], texts: [] }),
    "GET /disk/api/tasks": () => json({ items: [] }),
    "GET /disk/api/resources/home/": () => json({ items: [], numDirs: 0, numFiles: 0 }),
    "GET /disk/api/usage/": () =>
      json({ total: 1_000, used: 0, datasets: 0, quota: 0, counted: new Date().toISOString() }),
    "POST /api/renew": () => new Response(makeToken({ role, age: 0 })),
    "POST /api/auth/logout": () => new Response(null, { status: 204 }),
    ...overrides,
  };
  vi.stubGlobal("fetch", async (input: RequestInfo | URL, init?: RequestInit) => {
    const request =
      input instanceof Request ? input : new Request(new URL(String(input), location.origin), init);
    const key = `${request.method} ${new URL(request.url).pathname}`;
    const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? null;
    calls.push({ key, token, body: await request.clone().text() });
    const answer = answers[key];
    if (!answer) throw new Error(`a test asked for ${key}, which has no answer`);
    return Promise.race([answer(request), brokenOff(request)]);
  });
  return { calls, count: (key: string) => calls.filter((call) => call.key === key).length };
}
