// An address in the settings: empty, a path on this machine, or a whole http address. The server has the last word.

export function isAddress(text: string): boolean {
  if (text === "" || /^\/(?!\/)\S*$/.test(text)) return true;
  if (!/^https?:\/\/\S+$/i.test(text)) return false;
  return URL.canParse(text);
}

export const address = {
  validator: (_rule: unknown, value: unknown) =>
    typeof value !== "string" || isAddress(value.trim())
      ? Promise.resolve()
      : Promise.reject(new Error("请填写以 http:// 或 https:// 开头的地址，或以 / 开头的路径")),
};
