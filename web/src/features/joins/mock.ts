// Joins for tests, typed by the contract.
import type { JoinStep, JoinView, NewJoin, StepOutcome } from "./api";

const created = "2026-11-26T12:00:00.000Z";

export const join = (part: Partial<JoinView> = {}): JoinView => ({
  id: "j1",
  name: "gpu-a02",
  host: "10.0.0.7",
  port: 2376,
  storagePath: "",
  storageSource: "",
  portal: "http://10.0.0.1:18100",
  state: "waiting",
  open: true,
  username: "admin",
  created,
  expires: "2026-11-26T13:00:00.000Z",
  address: "",
  begun: null,
  finished: null,
  machine: null,
  steps: [],
  server: null,
  ...part,
});

export const report = (step: JoinStep, outcome: StepOutcome, detail = "") => ({
  step,
  outcome,
  detail,
  time: created,
});

export const newJoin: NewJoin = {
  ...join(),
  command: "(f=$(mktemp) && curl http://10.0.0.1:18100/api/joins/script)",
  script: "#!/bin/sh\nTOKEN='yunlab_join_x'\n",
  sha256: "ab".repeat(32),
  pin: null,
};
