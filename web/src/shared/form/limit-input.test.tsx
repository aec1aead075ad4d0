import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { LimitInput, type Zero } from "./LimitInput";

function Field({ zero, first }: { zero: Zero; first: number | null }) {
  const [value, setValue] = useState<number | null>(first);
  return (
    <>
      <LimitInput aria-label="CPU" zero={zero} unit="核" precision={2} value={value} onChange={setValue} />
      <output>{JSON.stringify(value)}</output>
    </>
  );
}

const start = (zero: Zero, first: number | null) => {
  render(<Field zero={zero} first={first} />);
  return userEvent.setup();
};

const number = () => screen.getByRole<HTMLInputElement>("spinbutton", { name: "CPU" });
const kept = () => screen.getByRole("status").textContent;

describe("a limit", () => {
  it("says in words what 0 means", () => {
    start("unlimited", 0);
    expect(screen.getByRole("checkbox", { name: "不限", checked: true })).toBeTruthy();
    expect([number().value, number().placeholder]).toEqual(["", "不限"]);
  });

  it("says that nothing is allowed where that is what 0 means", () => {
    start("none", 0);
    expect(screen.getByRole("checkbox", { name: "不允许", checked: true })).toBeTruthy();
  });

  it("becomes a number by being typed", async () => {
    const user = start("unlimited", 0);
    await user.type(number(), "0.5");
    expect([number().value, kept()]).toEqual(["0.5", "0.5"]);
    expect(screen.getByRole("checkbox", { checked: false })).toBeTruthy();
  });

  it("is 0 again when the words are chosen, and empty when they are not", async () => {
    const user = start("unlimited", 4);
    await user.click(screen.getByRole("checkbox", { name: "不限" }));
    expect([number().value, kept()]).toEqual(["", "0"]);
    await user.click(screen.getByRole("checkbox", { name: "不限" }));
    expect(kept()).toBe("null");
  });

  it("is what 0 means when 0 is typed and left", async () => {
    const user = start("unlimited", null);
    await user.type(number(), "0");
    await user.tab();
    expect(kept()).toBe("0");
    expect(screen.getByRole("checkbox", { name: "不限", checked: true })).toBeTruthy();
  });
});
