import { beforeEach, describe, expect, it } from "vitest";
import { clearSession, setSession } from "@/shared/stores/session";
import { draftOf, dropDraft, setDraft } from "./drafts";

beforeEach(() => {
  setSession({ id: 99 });
  setSession({ id: 7 });
});

describe("drafts of replies", () => {
  it("each order has its own, of words and files", () => {
    setDraft("a", { content: "words" });
    setDraft("b", { files: ["/home/log.txt"] });
    setDraft("a", { files: ["/home/a.png"] });
    expect(draftOf("a")).toEqual({ content: "words", files: ["/home/a.png"] });
    expect(draftOf("b")).toEqual({ content: "", files: ["/home/log.txt"] });
  });

  it("what was sent is gone, what was written meanwhile stays", () => {
    setDraft("a", { content: "first" });
    const sent = draftOf("a");
    setDraft("a", { content: "second" });
    dropDraft("a", sent);
    expect(draftOf("a").content).toBe("second");
    dropDraft("a", draftOf("a"));
    expect(draftOf("a").content).toBe("");
  });

  it("survive the end of a session, but are nobody else's", () => {
    setDraft("a", { content: "mine" });
    clearSession();
    setSession({ id: 7 });
    expect(draftOf("a").content).toBe("mine");
    clearSession();
    setSession({ id: 8 });
    expect(draftOf("a").content).toBe("");
  });
});
