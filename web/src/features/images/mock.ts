// Images and jobs for tests, typed by the contract.
import type { Image } from "@/shared/images/api";
import type { ImageJob } from "./api";

export const makeImage = (part: Partial<Image>): Image => ({
  id: "m1",
  image: "yunlab/zhangmin/detr:v1",
  repository: "yunlab/zhangmin/detr",
  tag: "v1",
  digest: "sha256:aa",
  size: 4_000_000_000,
  layers: 12,
  created: "2026-01-02T03:04:05.000Z",
  owner: { id: 3, username: "zhangmin" },
  visibility: "private",
  description: "",
  where: [{ kind: "server", server: { id: "s1", name: "gpu-a01" } }],
  editable: true,
  ...part,
});

export const makeJob = (part: Partial<ImageJob>): ImageJob => ({
  id: "j1",
  kind: "pull",
  state: "done",
  image: "pytorch:2.4",
  server: { id: "s1", name: "gpu-a01" },
  owner: { id: 3, username: "zhangmin" },
  percent: null,
  bytes: 0,
  log: "",
  error: "",
  created: "2026-01-02T03:04:05.000Z",
  started: null,
  ended: null,
  build: null,
  ...part,
});
