import { screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { PageIndex } from "./PageIndex";
import { Panel } from "./Panel";

function Page() {
  const [late, setLate] = useState(false);
  return (
    <PageIndex>
      <Panel title="名称与页脚">甲</Panel>
      <Panel title="地址">乙</Panel>
      {late && <Panel title="消息通知">丙</Panel>}
      <button type="button" onClick={() => setLate(true)}>
        更多
      </button>
    </PageIndex>
  );
}

it("names the parts once there are enough, and leads to them", async () => {
  const { user } = renderPage(Page, { at: "/settings" });
  expect(screen.queryByRole("navigation", { name: "本页目录" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "更多" }));
  await screen.findByRole("navigation", { name: "本页目录" });
  const links = screen.getAllByRole("link").map(({ textContent }) => textContent);
  expect(links).toEqual(["名称与页脚", "地址", "消息通知"]);
  await user.click(screen.getByRole("link", { name: "消息通知" }));
  await waitFor(() => expect(document.activeElement?.textContent).toBe("消息通知"));
});
