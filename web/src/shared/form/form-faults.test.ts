import { describe, expect, it } from "vitest";
import { placeFaults } from "./form-faults";

describe("faults of a form", () => {
  it("go to the fields that the form has, the rest above them", () => {
    const error = {
      message: "有几处不对",
      fields: [
        { name: "CPUPeriodQuota", message: "太大" },
        { name: "ldap.url", message: "不是地址" },
        { name: "secret", message: "不能改" },
      ],
    };
    const known = ["cores", "ldap,url"];
    const placed = placeFaults(
      error,
      (name) => known.includes(String(name)),
      (name) => (name === "CPUPeriodQuota" ? "cores" : name.split(".")),
    );
    expect(placed.here).toEqual([
      { name: "cores", errors: ["太大"] },
      { name: ["ldap", "url"], errors: ["不是地址"] },
    ]);
    expect(placed.elsewhere).toEqual(["不能改"]);
    expect(placeFaults({ message: "服务器忙", fields: [] }, () => false).elsewhere).toEqual(["服务器忙"]);
  });
});
