import { describe, expect, it } from "vitest";
import { diskUser } from "../mock";
import { fromForm, ruleOf, ruleRow, toForm, withAdmin } from "./profile-form";

const { id: _id, username: _username, ...profile } = diskUser;

describe("the form of a disk user", () => {
  it("comes back as it went", () => {
    const rules = [
      { allow: false, regex: false, path: "/home/secret", regexp: { raw: "" } },
      { allow: true, regex: true, path: "", regexp: { raw: "\\.py$" } },
    ];
    const full = { ...profile, rules, commands: ["git", "ls"], sorting: { by: "size", asc: false } as const };
    expect(fromForm(toForm(full), full)).toEqual(full);
    expect(rules.map(ruleRow).map(ruleOf)).toEqual(rules);
  });

  it("S295 selecting admin ticks all other permissions", () => {
    expect(withAdmin(["admin"])).toHaveLength(8);
    expect(withAdmin(["create"])).toEqual(["create"]);
    expect(fromForm({ ...toForm(profile), perm: ["admin"] }, profile).perm.execute).toBe(true);
  });
});
