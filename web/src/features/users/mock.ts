// A server of users for tests, typed by the contract. Names that begin with `fail` make it fail.
import type { components } from "@/shared/api/portal";
import { json, problem, publicSettings } from "@/test-server";
import type { User } from "./api";

const GB = 1024 ** 3;

export function makeUser(part: Partial<User>): User {
  return {
    id: 2,
    username: "zhangmin",
    name: "张敏",
    email: "",
    phone: "",
    role: 2,
    avatar: "",
    introduction: "",
    active: true,
    source: "local",
    instanceLimit: 4,
    instanceLimitOffset: 1,
    GPUNumlimit: 6,
    CPUPeriodQuota: 4_000_000,
    memoryLimit: 0,
    diskQuota: 500 * GB,
    groupLeader: false,
    groups: [{ id: 5, name: "计算机视觉", leader: false, origin: "administrator" }],
    created: "2026-01-02T03:04:05.000Z",
    lastLogin: null,
    endsAt: null,
    temporaryQuotas: null,
    ...part,
  };
}

export const admin = makeUser({
  id: 1,
  username: "admin",
  name: "管理员一",
  role: 1,
  groups: [],
  CPUPeriodQuota: 0,
});

export const defaultQuotas: components["schemas"]["Settings"]["basic"]["defaultQuotas"] = {
  instanceLimit: 3,
  instanceLimitOffset: 0,
  GPUNumlimit: 4,
  CPUPeriodQuota: 3_200_000,
  memoryLimit: 256 * GB,
  diskQuota: 500 * GB,
};

export const holdings: components["schemas"]["Holdings"] = {
  instances: [
    {
      id: "i1",
      name: "ins_zhangmin_GPU2xk7q",
      username: "zhangmin",
      server: "gpu01",
      unreachable: false,
      state: "running",
      suspended: false,
      gpus: 1,
    },
    {
      id: "i2",
      name: "ins_zhangmin_GPUa81mz",
      username: "zhangmin",
      server: "gpu02",
      unreachable: true,
      state: "running",
      suspended: false,
      gpus: 0,
    },
  ],
  gpus: 1,
  terminals: 1,
  imageJobs: 1,
  signIns: 2,
};

/** The requests to the mock: the bodies, and the query of the last list. */
export interface Asked {
  lists: URLSearchParams[];
  bodies: unknown[];
}

export function userAnswers(users: User[], asked: Asked) {
  const take = async (request: Request): Promise<unknown> => {
    const body: unknown = await request.json();
    asked.bodies.push(body);
    return body;
  };
  return {
    "GET /api/settings/public": () => json(publicSettings),
    "GET /api/settings": () =>
      json({ basic: { defaultQuotas }, authentication: { local: { changeAfterReset: true } } }),
    "GET /api/groups": () => json({ items: [{ id: 5, name: "计算机视觉" }], total: 1 }),
    "GET /api/users": (request: Request) => {
      const query = new URL(request.url).searchParams;
      if (query.get("size") === "1") {
        const counted = users.filter(
          ({ active, role }) =>
            (query.get("active") ?? String(active)) === String(active) &&
            (query.get("role") ?? String(role)) === String(role),
        );
        return json({ items: counted.slice(0, 1), total: counted.length });
      }
      asked.lists.push(query);
      const q = query.get("q") ?? "";
      if (q.startsWith("fail")) return problem(503, "unavailable", "数据库正在升级，请稍后再试");
      const items = users.filter(({ username }) => username.includes(q));
      return json({ items, total: items.length });
    },
    ...Object.fromEntries(users.map((user) => [`GET /api/users/${user.id}`, () => json(user)])),
    "POST /api/users": async (request: Request) => {
      const body = await take(request);
      const text = JSON.stringify(body);
      if (text.includes('"failtaken"')) {
        const fields = [{ name: "username", message: "用户名已经被使用" }];
        const taken = { code: "username_taken", message: "用户名已经被使用", fields, request_id: "req-2" };
        return json(taken, 409);
      }
      return json(makeUser({ id: 9, username: "lijia" }), 201);
    },
    "PUT /api/users/2": async (request: Request) => {
      await take(request);
      return json(users[1]);
    },
    "POST /api/users/active": async (request: Request) => {
      await take(request);
      return json({ changed: 1, stoppedInstances: 0 });
    },
    "GET /api/users/holdings": (request: Request) => {
      const ids = new URL(request.url).searchParams.get("ids");
      if (ids === "3") return json({ instances: [], gpus: 0, terminals: 0, imageJobs: 0, signIns: 0 });
      return json(holdings);
    },
    "PUT /api/users/2/end": async (request: Request) => {
      await take(request);
      return json(users[1]);
    },
    "PUT /api/users/2/temporary-quotas": async (request: Request) => {
      await take(request);
      return json(users[1]);
    },
    "DELETE /api/users/2/temporary-quotas": () => json(users[1]),
    "PUT /api/users/2/passwd": async (request: Request) => {
      await take(request);
      return new Response(null, { status: 204 });
    },
    "POST /api/users/batch": async (request: Request) => {
      const body = await take(request);
      const created = !JSON.stringify(body).includes('"dryRun":true');
      const line = {
        line: 2,
        username: "lisi",
        name: "李四",
        ok: true,
        id: created ? 11 : null,
        fields: [],
        message: null,
      };
      const bad = { name: "phone", message: "手机号码不正确" };
      return json({
        created: created ? 1 : 0,
        failed: 1,
        lines: [
          { ...line, password: created ? "aB3xyz789q" : null },
          { ...line, line: 3, username: "wangwu", ok: false, id: null, password: null, fields: [bad] },
        ],
      });
    },
  };
}
