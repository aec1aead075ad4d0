import { describe, expect, it } from "vitest";
import { decode, type Encoding, encode, encodingOf, isWhole } from "./encodings";

const bytesOf = (text: string, encoding: Encoding) => {
  const encoded = encode(text, encoding);
  if ("missing" in encoded) throw new Error(`missing ${encoded.missing.join("")}`);
  return encoded.bytes;
};

describe("encodings", () => {
  it.each<Encoding>(["utf-8", "utf-8-bom", "gb18030", "utf-16le", "utf-16be"])(
    "%s comes back as it went",
    (name) => {
      const text = "第 12 次实验：α=0.1\n€ 一二三 🚀 ﷺ";
      expect(decode(bytesOf(text, name), name)).toBe(text);
    },
  );

  it("knows marks, UTF-8 and GBK", () => {
    for (const name of ["utf-8", "utf-8-bom", "gb18030", "utf-16le", "utf-16be"] as const)
      expect(encodingOf(bytesOf("中文内容", name))).toBe(name);
    expect(encodingOf(new Uint8Array())).toBe("utf-8");
  });

  it("knows bytes that an encoding has not, and reads every one of them as Latin-1", () => {
    const torn = Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a]);
    expect(isWhole(torn, "utf-8")).toBe(false);
    expect(isWhole(torn, "gb18030")).toBe(false);
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(isWhole(all, "windows-1252")).toBe(true);
    expect(bytesOf(decode(all, "windows-1252"), "windows-1252")).toEqual(all);
  });

  it("writes GBK as other programs do", () => {
    expect(Array.from(bytesOf("中文a", "gb18030"))).toEqual([0xd6, 0xd0, 0xce, 0xc4, 0x61]);
    expect(Array.from(bytesOf("𠮷", "gb18030"))).toEqual([0x95, 0x34, 0xb2, 0x35]);
  });

  it("writes Big5 and Shift JIS", () => {
    expect(Array.from(bytesOf("中", "big5"))).toEqual([0xa4, 0xa4]);
    expect(Array.from(bytesOf("日本", "shift_jis"))).toEqual([0x93, 0xfa, 0x96, 0x7b]);
  });

  it("names what an encoding has not", () => {
    expect(encode("a🚀b🚀", "big5")).toEqual({ missing: ["🚀"] });
  });
});
