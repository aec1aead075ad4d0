import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { NewShareForm } from "./NewShareForm";

function start() {
  const create = vi.fn();
  render(<NewShareForm submitting={false} permanentReason={undefined} onCreate={create} />);
  return { create, user: userEvent.setup() };
}

describe("a new link's password", () => {
  it("has four characters, and the field says so when somebody tries a shorter one", async () => {
    const { create, user } = start();
    const field = screen.getByLabelText("密码（可选）");
    await user.type(screen.getByLabelText("有效期"), "24");
    await user.type(field, "abc");
    expect(screen.queryByText(/密码至少 4 个字符/)).toBeNull();
    for (const name of ["创建链接", "创建永久链接"]) {
      await user.click(screen.getByRole("button", { name }));
      expect(create).not.toHaveBeenCalled();
      expect(document.activeElement).toBe(field);
      expect(field.getAttribute("aria-invalid")).toBe("true");
      const words = document.getElementById(field.getAttribute("aria-describedby") ?? "");
      expect(words?.textContent).toBe("密码至少 4 个字符，不填则没有密码");
    }
    await user.type(field, "d");
    // The text of the fault fades out.
    expect(field.getAttribute("aria-invalid")).toBe("false");
    await user.keyboard("{Enter}");
    expect(create).toHaveBeenCalledExactlyOnceWith(
      { lasting: { number: 24, unit: "hours" }, password: "abcd" },
      expect.any(Function),
    );
  });

  it("can be left out, and counts characters, not bytes", async () => {
    const { create, user } = start();
    await user.click(screen.getByRole("button", { name: "创建永久链接" }));
    expect(create).toHaveBeenLastCalledWith({ lasting: null, password: "" }, expect.any(Function));
    await user.type(screen.getByLabelText("密码（可选）"), "😀😀😀");
    await user.click(screen.getByRole("button", { name: "创建永久链接" }));
    expect(create).toHaveBeenCalledOnce();
  });
});

describe("a link that takes files", () => {
  it("is offered for folders only, and has limits", async () => {
    const create = vi.fn();
    const user = userEvent.setup();
    render(
      <NewShareForm
        submitting={false}
        permanentReason={undefined}
        collecting={{ permanentReason: "已有永久链接，删除后才能再建" }}
        onCreate={create}
      />,
    );
    expect(screen.queryByLabelText("最多收多少个文件")).toBeNull();
    await user.click(screen.getByText("收集文件"));
    // There is one of this kind, and none of the other.
    expect(screen.getByRole("button", { name: "创建永久链接" })).toHaveProperty("disabled", true);
    const files = screen.getByLabelText("最多收多少个文件");
    await user.clear(files);
    await user.type(files, "5");
    await user.click(screen.getByRole("button", { name: "7 天" }));
    await user.click(screen.getByRole("button", { name: "创建链接" }));
    expect(create).toHaveBeenCalledExactlyOnceWith(
      {
        lasting: { number: 7, unit: "days" },
        password: "",
        collect: { maxBytes: 10 * 1024 ** 3, maxFiles: 5 },
      },
      expect.any(Function),
    );
  });

  it("says what is missing when somebody creates a link without a span", async () => {
    const { create, user } = start();
    await user.click(screen.getByRole("button", { name: "创建链接" }));
    expect(create).not.toHaveBeenCalled();
    const field = screen.getByLabelText("有效期");
    const words = await screen.findByText("请填写有效期，或创建永久链接");
    expect(field.getAttribute("aria-describedby")).toBe(words.closest("[id]")?.id);
  });
});
