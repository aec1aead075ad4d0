import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { GpuSquares } from "./GpuSquares";
import { makeGpu } from "./mock";

const server = { name: "gpu-a01", state: "online", schedulable: true, maintenanceNote: "" } as const;
const cards = [0, 1, 2].map((index) => makeGpu({ id: `g${index}`, index }));

describe("卡的方块", () => {
  it("are one stop of the Tab key, and the arrows lead through them", async () => {
    const user = userEvent.setup({ delay: null });
    render(
      <>
        <GpuSquares gpus={cards} server={server} />
        <button type="button">之后</button>
      </>,
    );
    const square = (index: number) => screen.getByRole("button", { name: new RegExp(`^卡 ${index}：`) });
    await user.tab();
    expect(document.activeElement).toBe(square(0));
    await user.keyboard("{ArrowRight}");
    expect(document.activeElement).toBe(square(1));
    expect(await screen.findByRole("tooltip")).toBeTruthy();
    await user.keyboard("{End}{ArrowRight}");
    expect(document.activeElement).toBe(square(2));
    await user.tab();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "之后" }));
    await user.tab({ shift: true });
    expect(document.activeElement).toBe(square(2));
    await user.keyboard("{Home}");
    expect(document.activeElement).toBe(square(0));
  });

  it("say a thing once", () => {
    render(<GpuSquares gpus={cards.slice(0, 1)} server={server} />);
    expect(screen.getByRole("button", { name: "卡 0：空闲" })).toBeTruthy();
  });

  it("take no focus in a label", () => {
    render(<GpuSquares gpus={cards} server={server} inLabel />);
    expect(screen.queryByRole("button")).toBeNull();
    expect(screen.getByRole("listitem", { name: /^卡 2：/ })).toBeTruthy();
  });
});
