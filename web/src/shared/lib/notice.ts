/** A notice as head and body: its first short sentence is the head, as people write 严禁挖矿。… */
export function splitNotice(text: string): { head: string; body: string } {
  const at = text.search(/[。！：:]/);
  if (at > 0 && at <= 12 && at < text.length - 1) {
    return { head: text.slice(0, at), body: text.slice(at + 1).trim() };
  }
  return { head: "严禁挖矿", body: text };
}
