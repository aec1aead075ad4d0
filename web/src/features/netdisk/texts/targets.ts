// Where the addresses in a text lead: to a file beside it, or elsewhere. Pure.

/** The path of a relative address; nothing for an address of the web, of this page, or above the disk. */
export function targetOf(folder: string, address: string): string | null {
  const [path = ""] = address.split(/[?#]/);
  if (path === "" || /^([a-z][a-z0-9+.-]*:|\/\/|www\.)/i.test(path)) return null;
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  const names = decoded.startsWith("/") ? [] : folder.split("/").filter(Boolean);
  for (const name of decoded.split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return null;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  const end = decoded.endsWith("/") && names.length > 0 ? "/" : "";
  return `/${names.join("/")}${end}`;
}

/** The facts that many tools write before a text, between two lines of dashes. */
export function frontOf(text: string): { front: string; rest: string } {
  const found = /^\uFEFF?---\r?\n([\s\S]{0,20000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text);
  if (!found) return { front: "", rest: text };
  return { front: found[1] ?? "", rest: text.slice(found[0].length) };
}
