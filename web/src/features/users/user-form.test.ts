import { describe, expect, it } from "vitest";
import { isPassword } from "@/shared/lib/validators";
import { initialPassword } from "./initial-password";
import { makeUser } from "./mock";
import { adjustData } from "./QuotaDrawer";
import { updateData, userFormOf } from "./user-form";
import { countRows, decodeTable, faultsOf, passwordsCsv } from "./user-table-text";

describe("the form of a user", () => {
  it("S167 has nothing to send when nothing was changed, also with odd numbers of bytes", () => {
    const form = userFormOf(makeUser({ diskQuota: 123_456_789_123, memoryLimit: 1 }));
    expect(updateData(form, { ...form })).toEqual({});
    expect(updateData(form, { ...form, name: " 新名 " })).toEqual({ name: "新名" });
    expect(updateData(form, { ...form, groups: [5, 6] })).toEqual({ groups: [5, 6] });
  });

  it("changes only the quotas that were filled in, zero included", () => {
    expect(adjustData({})).toEqual({});
    expect(adjustData({ cores: 0, diskGb: 1.5, instanceLimit: null })).toEqual({
      CPUPeriodQuota: 0,
      diskQuota: 1.5 * 1024 ** 3,
    });
  });

  it("S255 makes first passwords that the rule accepts", () => {
    const made = Array.from({ length: 200 }, initialPassword);
    expect(made.every(isPassword)).toBe(true);
    expect(new Set(made).size).toBe(200);
  });
});

describe("the table of a batch", () => {
  it("reads UTF-8 and what Excel saves in Chinese Windows", () => {
    const utf8 = new TextEncoder().encode("用户名");
    const gb18030 = new Uint8Array([0xd3, 0xc3, 0xbb, 0xa7, 0xc3, 0xfb]);
    expect(decodeTable(utf8.buffer)).toBe("用户名");
    expect(decodeTable(gb18030.buffer)).toBe("用户名");
  });

  it("counts lines with something on them", () => {
    expect(countRows("")).toBe(0);
    expect(countRows("用户名\r\na\r\n\r\nb\r\n")).toBe(2);
  });

  it("writes passwords as CSV and says what is wrong with a line", () => {
    const made = { line: 2, username: "a,b", name: "=张三", ok: true, id: 1, password: 'x"1' };
    const line = { ...made, fields: [], message: null };
    expect(passwordsCsv([line, { ...line, ok: false }])).toBe(
      '\uFEFF用户名,姓名,初始密码\r\n"a,b",\'=张三,"x""1"\r\n',
    );
    const fields = [
      { name: "phone", message: "手机号码不正确" },
      { name: "CPUPeriodQuota", message: "应为整数：abc" },
    ];
    expect(faultsOf({ ...line, fields, message: "没有创建" })).toBe(
      "没有创建；手机号码不正确；CPU 核：应为整数：abc",
    );
  });
});
