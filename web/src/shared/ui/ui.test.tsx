import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { App } from "antd";
import { describe, expect, it, vi } from "vitest";
import { ConfirmDanger } from "./ConfirmDanger";
import { CopyText } from "./CopyText";
import { Meter } from "./Meter";

describe("small parts", () => {
  it("S029 draws a share of a limit that screen readers can read", () => {
    render(<Meter label="显卡" used={3} limit={4} />);
    const meter = screen.getByRole("meter", { name: "显卡" });
    expect([meter.getAttribute("aria-valuenow"), meter.getAttribute("aria-valuemax")]).toEqual(["3", "4"]);
  });

  it("opens the dangerous button only for the right name", async () => {
    const onConfirm = vi.fn();
    const user = userEvent.setup({ delay: null });
    const nothing = () => {};
    render(
      <ConfirmDanger
        open
        title="删除 甲？"
        verb="删除"
        shortName="甲"
        submitting={false}
        onConfirm={onConfirm}
        onClose={nothing}
      >
        不能恢复
      </ConfirmDanger>,
    );
    await user.type(screen.getByRole("textbox", { name: /输入/ }), "乙{Enter}");
    expect(onConfirm).not.toHaveBeenCalled();
    await user.clear(screen.getByRole("textbox"));
    await user.type(screen.getByRole("textbox"), "甲{Enter}");
    expect(onConfirm).toHaveBeenCalledOnce();
  });

  it("copies where the clipboard is out of reach, as on plain http", async () => {
    const copied: string[] = [];
    // Not any other: the library of inputs keeps a hidden one for measuring.
    const selected = () => [...document.querySelectorAll("textarea")].at(-1);
    Object.assign(document, { execCommand: () => copied.push(selected()?.value ?? "") > 0 });
    vi.stubGlobal("isSecureContext", false);
    const user = userEvent.setup({ delay: null });
    render(
      <App>
        <CopyText text="secret">复制密码</CopyText>
      </App>,
    );
    await user.click(screen.getByRole("button", { name: "复制密码" }));
    expect(await screen.findByText("已复制")).toBeTruthy();
    expect(copied).toEqual(["secret"]);
  });
});
