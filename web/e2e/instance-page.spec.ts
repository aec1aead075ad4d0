// The page of an instance: the ways in first, its end in sight, and nothing that destroys within reach of a slip.
import { showLab, shownInstance } from "./fixtures/shown-lab";
import { arrive, expect, phone, test } from "./fixtures/test";

for (const [width, options] of [
  ["1440", {}],
  ["390", phone],
] as const) {
  test(`U19 at ${width} px the ways in come first, the end can be put off, and release is out of reach`, async ({
    api,
    visitor,
  }) => {
    await api.user({ username: "zhangmin" });
    const page = await visitor(options);
    await showLab(page, false);
    let stopAt = shownInstance().stopAt;
    await page.route("**/api/instances/i1", (route) => route.fulfill({ json: shownInstance({ stopAt }) }));
    await page.route("**/api/instances/i1/extend", (route) => {
      stopAt = route.request().postDataJSON().stopAt;
      return route.fulfill({ json: shownInstance({ stopAt }) });
    });
    await arrive(page, "zhangmin");
    await page.goto("/servers/instance_detail/i1");
    await expect(page.getByRole("heading", { level: 1, name: "ins_zhangmin_GPUk3f9xq2ab" })).toBeAttached();

    // In sight without scrolling, above everything else.
    const command = page.getByText("ssh -p 32017 root@gpu-a01.lab.example.cn");
    await expect(command).toBeInViewport();
    await expect(page.getByRole("heading", { level: 2 }).first()).toHaveText("访问");

    const end = page.getByRole("region", { name: "自动停止" });
    await expect(end).toContainText("还有 2 小时");
    await end.getByRole("button", { name: "续 24 小时" }).press("Enter");
    await expect(end).toContainText("还有 26 小时");

    const running = page.getByRole("timer").filter({ hasText: "已运行" });
    const before = await running.textContent();
    await expect(running).not.toHaveText(before ?? "");

    const release = page.getByRole("button", { name: "释放", exact: true });
    await expect(release).toBeDisabled();
    await expect(release).toHaveAttribute("title", "运行中不能释放，请先停止");
    await page.getByText("怎样登录？").press("Enter");
    await expect(page.getByRole("button", { name: "复制命令：设置密码" })).toBeVisible();
  });
}
