// For tests: an instance and a card as the server answers them.
import type { Gpu, InstanceAct, InstanceView } from "./api";

const possible: Partial<Record<InstanceView["state"], readonly InstanceAct[]>> = {
  running: ["stop", "restart", "release"],
  stopped: ["start", "release"],
};

/** As the server answers for an instance in this state that nothing else holds up. */
function actsOf(state: InstanceView["state"]): InstanceView["acts"] {
  const acts: InstanceAct[] = ["start", "stop", "restart", "release", "resume"];
  return acts.map((act) => (possible[state]?.includes(act) ? { act } : { act, why: "现在不能" }));
}

export function makeInstance(
  change: Partial<InstanceView> & Pick<InstanceView, "id" | "name">,
): InstanceView {
  return {
    note: "",
    owner: { id: 2, username: "zhangmin" },
    server: { id: "s1", name: "gpu01", publicHost: "gpu01.lab" },
    state: "running",
    acts: actsOf(change.state ?? "running"),
    stateReason: "",
    endedAtOnce: false,
    suspended: "",
    frozen: null,
    root: null,
    desiredState: "running",
    unreachable: false,
    image: "pytorch:2.4",
    imageDigest: "",
    pull: null,
    gpus: [],
    cpuQuota: 400_000,
    memory: 8 * 2 ** 30,
    shmSize: 2 ** 30,
    pidsLimit: 4096,
    ports: [],
    ssh: null,
    mounts: [],
    env: {},
    command: [],
    created: "2026-11-20T10:00:00Z",
    started: "2026-11-20T10:00:05Z",
    stopAt: null,
    keepUntil: null,
    notice: null,
    idle: null,
    autoStart: true,
    ...change,
  };
}

/** A free card. */
export function makeGpu(change: Partial<Gpu> & Pick<Gpu, "id" | "index">): Gpu {
  return {
    server: "s1",
    uuid: `GPU-${change.id}`,
    kind: "nvidia",
    model: "NVIDIA A100",
    memoryTotal: 80 * 2 ** 30,
    state: "free",
    allowed: true,
    excluded: false,
    fault: "",
    external: "",
    processes: [],
    ...change,
  };
}
