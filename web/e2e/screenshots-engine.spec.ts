// The pictures in docs/screenshots of what only a real engine can show: an instance at work, its terminal, images and
// their builds. Not a test of anything: part of `npm run screenshots`.
import { join } from "node:path";
import type { components } from "@/shared/api/portal";
import { equip, smallInstance } from "./fixtures/compute";
import { Engine } from "./fixtures/engine";
import { show } from "./fixtures/pages";
import { isWanted, looks, take } from "./fixtures/pictures";
import { test } from "./fixtures/registry";
import { expect, signIn } from "./fixtures/test";
import { dialog, text, type View } from "./fixtures/view";

type Schemas = components["schemas"];

const dockerfile = `FROM ${Engine.image}
RUN mkdir -p /opt/lab && echo "cuda 12.4, torch 2.4" > /opt/lab/versions
RUN cat /opt/lab/versions
`;

test("pictures: with an engine", async ({
  server: portal,
  engine,
  registry,
  api,
  apiOf,
  faults,
  visitor,
}) => {
  // A container's network comes and goes with it, and Chromium breaks off what it is loading.
  faults.expect(/ERR_NETWORK_CHANGED|Unable to preload CSS|dynamically imported module/);
  for (const name of [
    "lab/pytorch:2.4-cuda12.4",
    "lab/pytorch:2.3-cuda12.1",
    "lab/mindspore:2.3",
    "tools/jupyter:4.2",
  ]) {
    await engine.docker("tag", Engine.image, `${registry.host}/${name}`);
    await engine.docker("push", `${registry.host}/${name}`);
    await engine.docker("rmi", `${registry.host}/${name}`);
  }
  await api.user({ username: "zhangmin", name: "张敏" });
  await api.changeBasic({ publicImageUrl: registry.url });
  const server = await equip(api, engine, "gpu-a01");
  const storage = { storagePath: join(portal.folder, "data/disk") };
  expect(await api.status("PUT", `/api/servers/${server.id}`, storage)).toBe(200);
  const mine = await apiOf("zhangmin");

  const form = {
    ...smallInstance(server.id, Engine.image, 1),
    ...{ cpuQuota: 100_000, memory: 2 * 1024 ** 3 },
    note: "检测模型对比实验",
    ports: [{ containerPort: 8888, name: "JupyterLab" }],
  };
  const { id, name } = await mine.post<Schemas["InstanceView"]>("/api/instances", form);
  const at = (path = "") => `/api/instances/${id}${path}`;
  await mine.until(at(), ({ state }: Schemas["InstanceView"]) => state === "running");
  // Something to be seen in the charts.
  await engine.docker(
    "exec",
    "-d",
    name,
    "sh",
    "-c",
    "while :; do md5sum /bin/busybox >/dev/null; sleep 0.05; done",
  );
  const saving = { repository: "detector-env", tag: "v1", description: "检测实验的环境" };
  const job = await mine.post<Schemas["ImageJob"]>(at("/save"), saving);
  await mine.until(`/api/images/jobs/${job.id}`, ({ state }: Schemas["ImageJob"]) => state === "done");
  const { items: images } = await mine.get<Schemas["Page_ImageView"]>("/api/images?page=1&size=20");
  const build = await api.post<Schemas["ImageJob"]>("/api/images/builds", {
    ...{ server: server.id, repository: "torch-base", tag: "24.11", dockerfile },
  });
  await api.until(`/api/images/builds/${build.id}`, ({ state }: Schemas["ImageJob"]) => state === "done");
  await expect
    .poll(async () => (await mine.get<Schemas["InstanceSamples"]>(at("/samples?minutes=60"))).items.length, {
      timeout: 90_000,
    })
    .toBeGreaterThan(8);

  const views: View[] = [
    {
      name: "terminal",
      who: "zhangmin",
      address: `/servers/server_terminal/${server.id}/${id}/127.0.0.1/sh`,
      ready: text("会话 1 已连接"),
      act: async (page) => {
        await page.locator(".xterm-screen").click();
        await page.keyboard.type(`id; ls ${engine.card}; ls -l /\n`);
        await expect(page.locator(".xterm-rows")).toContainText("uid=0(root)");
      },
    },
    {
      name: "instances",
      who: "admin",
      address: "/servers/instance_manage",
      ready: text("检测模型对比实验"),
    },
    { name: "dashboard-instance", who: "zhangmin", address: "/dashboard", ready: text("检测模型对比实验") },
    {
      name: "instance-detail",
      who: "zhangmin",
      address: `/servers/instance_detail/${id}`,
      ready: text("可访问"),
    },
    {
      name: "instance-save",
      who: "zhangmin",
      address: `/servers/instance_detail/${id}?panel=save`,
      ready: text("可访问"),
      act: (page) => dialog(page, /另存为镜像/),
    },
    { name: "images-own", who: "zhangmin", address: "/images/image_manage", ready: text("detector-env") },
    {
      name: "image-info",
      who: "zhangmin",
      address: `/images/image_info?id=${images[0]?.id}`,
      ready: text("检测实验的环境"),
    },
    { name: "image-library", who: "zhangmin", address: "/images/image_show", ready: text("lab/pytorch") },
    {
      name: "instance-create-ready",
      who: "zhangmin",
      address: `/servers/instance_create?server=${server.id}`,
      ready: text("gpu-a01"),
    },
    {
      name: "image-build-done",
      who: "admin",
      address: `/images/image_build/${build.id}`,
      ready: text("完成"),
    },
    {
      name: "server-online",
      who: "admin",
      address: `/servers/server_detail/${server.id}`,
      ready: text("系统信息"),
    },
    {
      name: "ssh-login",
      who: "admin",
      address: `/servers/${server.id}/server_terminal_ssh/127.0.0.1/22`,
      ready: (page) => expect(page.getByLabel("用户名")).toBeVisible(),
    },
  ];
  for (const { suffix, options } of looks) {
    for (const person of ["zhangmin", "admin"] as const) {
      const page = await visitor(options);
      await signIn(page, person);
      for (const view of views.filter((one) => one.who === person && isWanted(one.name))) {
        await show(page, view);
        await take(page, `${view.name}-${suffix}`);
      }
    }
  }
});
