// A person with things and their departures, for tests, typed by the contract.
import type { Departure, DepartureDetail, DepartureItem, Holdings } from "./api";

export const plan: Departure["plan"] = {
  instances: { action: "delete", receiver: null },
  datasets: { action: "hand_over", receiver: 3 },
  images: { action: "delete", receiver: null },
  groups: { action: "keep", receiver: null },
  files: { action: "hand_over", receiver: 3 },
  exceptions: [],
};

export const holdings: Holdings = {
  user: { id: 2, username: "zhangmin", name: "张敏" },
  active: true,
  endsAt: null,
  instances: [
    {
      id: "i1",
      name: "ins_zhangmin_GPU2xk7q",
      server: "gpu01",
      unreachable: false,
      state: "running",
      gpus: 1,
    },
    {
      id: "i2",
      name: "ins_zhangmin_GPUa81mz",
      server: "gpu02",
      unreachable: true,
      state: "stopped",
      gpus: 0,
    },
  ],
  datasets: [{ id: "d1", name: "mnist", title: "手写数字", size: 1024 ** 3, visibility: "private" }],
  images: [],
  groups: [],
  worksheets: 1,
  departure: null,
  stamp: "0123456789abcdef",
};

export const departure = (part: Partial<Departure> = {}): Departure => ({
  id: "p1",
  user: holdings.user,
  state: "running",
  plan,
  by: "admin",
  created: "2026-11-26T08:00:00.000Z",
  started: "2026-11-26T08:00:00.000Z",
  ended: null,
  total: 3,
  done: 1,
  failed: 0,
  ...part,
});

export const item = (part: Partial<DepartureItem>): DepartureItem => ({
  number: 1,
  kind: "dataset",
  object: "d1",
  name: "mnist",
  action: "hand_over",
  receiver: "lijia",
  state: "done",
  words: "已移交给 lijia",
  changed: "2026-11-26T08:00:05.000Z",
  ...part,
});

export const failedDetail: DepartureDetail = {
  ...departure({ state: "failed", failed: 1 }),
  items: [
    item({}),
    item({
      number: 2,
      kind: "files",
      object: "",
      name: "zhangmin",
      state: "failed",
      words: "接手的人 lijia 已不存在或已禁用，请换一个人后重试",
    }),
    item({
      number: 3,
      kind: "account",
      object: "",
      name: "zhangmin",
      action: "delete",
      receiver: "",
      state: "waiting",
      words: "",
    }),
  ],
};
