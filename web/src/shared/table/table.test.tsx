import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { App } from "antd";
import { describe, expect, it, vi } from "vitest";
import { DataTable } from "./DataTable";
import type { DataSource } from "./data-table";

interface Row {
  id: number;
  name: string;
}

const list = { page: 1, size: 20, sort: "name", order: "asc", setPage: vi.fn(), setOrder: vi.fn() } as const;
const rows = { items: [{ id: 1, name: "甲" }], total: 1 };
const failure = { message: "数据库没有应答", fields: [], requestId: "req-9" };

function table(source: Partial<DataSource<Row>>, active = 0) {
  const onRetry = vi.fn();
  const onReset = vi.fn();
  render(
    <App>
      <DataTable<Row>
        id="test"
        label="名单"
        unit="个"
        rowKey={(row) => row.id}
        columns={[
          { key: "name", title: "名称", sort: "name", always: true, render: (row) => row.name },
          { key: "id", title: "编号", render: (row) => `#${row.id}` },
        ]}
        source={{ data: undefined, error: null, fetching: false, onRetry, ...source }}
        list={list}
        card={(row) => <span>卡片 {row.name}</span>}
        filters={{ active, onReset }}
        empty={{ icon: "file", text: "还没有名单" }}
      />
    </App>,
  );
  return { onRetry, onReset, user: userEvent.setup({ delay: null }) };
}

describe("the five states of a table", () => {
  it("shows bars while it loads", () => {
    table({ fetching: true });
    expect(screen.getByRole("status", { name: "正在加载" })).toBeTruthy();
  });

  it("shows the server's words and tries again on request", async () => {
    const { onRetry, user } = table({ error: failure });
    expect(screen.getByText("名单没有取到")).toBeTruthy();
    expect(screen.getByText("数据库没有应答")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(onRetry).toHaveBeenCalledOnce();
  });

  it("keeps the rows when refreshing them fails", () => {
    table({ data: rows, error: failure });
    expect(screen.getByText("甲")).toBeTruthy();
    expect(screen.getByText("没有刷新成功：数据库没有应答")).toBeTruthy();
  });

  it("tells an empty list from filters that let nothing through", async () => {
    const { onReset, user } = table({ data: { items: [], total: 0 } }, 1);
    expect(screen.getByText("没有符合条件的结果")).toBeTruthy();
    const [button] = screen.getAllByRole("button", { name: "清除筛选" });
    if (button) await user.click(button);
    expect(onReset).toHaveBeenCalledOnce();
  });

  it("is busy while it refreshes, and hides columns on request", async () => {
    const { user } = table({ data: rows, fetching: true });
    expect(screen.getByRole("region", { name: "名单" }).getAttribute("aria-busy")).toBe("true");
    expect(screen.getByText("#1")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "列设置" }));
    await user.click(await screen.findByRole("checkbox", { name: "编号" }));
    expect(screen.queryByText("#1")).toBeNull();
  });

  it("says by which column it is ordered, and turns the order round", async () => {
    const { user } = table({ data: rows });
    const head = screen.getByRole("columnheader", { name: "名称" });
    expect(head.getAttribute("aria-sort")).toBe("ascending");
    await user.click(screen.getByRole("button", { name: "名称" }));
    expect(list.setOrder).toHaveBeenCalledWith("name", "desc");
  });

  it("becomes cards on a phone", () => {
    vi.spyOn(window, "matchMedia").mockImplementation(
      (media) =>
        Object.assign(new EventTarget(), {
          matches: media.includes("767px"),
          media,
        }) as unknown as MediaQueryList,
    );
    table({ data: rows });
    expect(screen.getByRole("list", { name: "名单" })).toBeTruthy();
    expect(screen.getByText("卡片 甲")).toBeTruthy();
    expect(screen.queryByRole("columnheader")).toBeNull();
  });
});
