import { describe, expect, it } from "vitest";
import { addressAfterLogin, forgetReturn, loginAddress } from "./return-to";
import { safeLink } from "./safe-link";

describe("the way through sign-in", () => {
  it("S087 the address shows only the first segment", () => {
    expect(loginAddress("/users/user_list?page=2")).toBe("/login?redirect=users");
    expect(loginAddress("/")).toBe("/login");
    expect(loginAddress("/login?redirect=users")).toBe("/login");
  });

  it("leads to the very place that was wanted", () => {
    loginAddress("/users/user_list?page=2");
    expect(addressAfterLogin("users")).toBe("/users/user_list?page=2");
    expect(addressAfterLogin("/users")).toBe("/users/user_list?page=2");
    expect(addressAfterLogin("logs")).toBe("/logs");
    forgetReturn();
    expect(addressAfterLogin("users")).toBe("/users");
  });

  it.each([
    "//evil.test",
    "https://evil.test",
    "\\evil",
    "javascript:alert(1)",
    "..",
    "",
    null,
    "login",
    "a/../b",
  ])("never leads away: %j", (redirect) => {
    expect(addressAfterLogin(redirect)).toBe("/");
  });

  it("does not trust what lies in storage either", () => {
    sessionStorage.setItem("return_to", "/usersx//evil.test");
    expect(addressAfterLogin("users")).toBe("/users");
    sessionStorage.setItem("return_to", "https://evil.test/users");
    expect(addressAfterLogin("users")).toBe("/users");
  });
});

describe("links from the settings", () => {
  it.each([
    ["https://a.test/x", "https://a.test/x"],
    ["/faq", "http://lab.test/faq"],
    ["javascript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%j", (address, link) => {
    expect(safeLink(address)).toBe(link);
  });
});
