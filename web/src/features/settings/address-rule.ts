// Addresses in the settings: empty, or a whole http address; the storage host may also be a path on this machine.
// The server has the last word.

export function isWebAddress(text: string): boolean {
  return text === "" || (/^https?:\/\/[^\s/]\S*$/i.test(text) && URL.canParse(text));
}

export function isPathOrAddress(text: string): boolean {
  return isWebAddress(text) || /^\/(?!\/)[\w\-./~]*$/.test(text);
}

function rule(accepts: (text: string) => boolean, message: string) {
  return {
    validator: (_rule: unknown, value: unknown) =>
      typeof value !== "string" || accepts(value.trim())
        ? Promise.resolve()
        : Promise.reject(new Error(message)),
  };
}

export const webAddress = rule(isWebAddress, "请填写以 http:// 或 https:// 开头的地址");
export const pathOrAddress = rule(
  isPathOrAddress,
  "请填写以 http:// 或 https:// 开头的地址，或以 / 开头的路径",
);
