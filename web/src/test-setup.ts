// Runs before every test file: a clean browser and no network. A test that needs an answer stubs `fetch` itself.
import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";
import { forgetLine } from "@/shared/api/line";
import { clearSession } from "@/shared/stores/session";

// A busy machine may take a moment for what is instant otherwise, and longer for the first page of a large part, whose
// modules are compiled then; a missing thing still fails.
configure({ asyncUtilTimeout: 20_000 });

beforeEach(() => {
  vi.stubGlobal("fetch", (input: RequestInfo | URL) => {
    const url = input instanceof Request ? input.url : String(input);
    return Promise.reject(new Error(`a test reached the network: ${url}`));
  });
});

/** Files share a window, and a link that a test follows leads out of it. */
const home = location.href;
declare const happyDOM: { setURL(url: string): void };

afterEach(() => {
  cleanup();
  // Files share modules too: a user that an earlier file signed in would still be signed in.
  clearSession();
  forgetLine();
  if (location.href !== home) happyDOM.setURL(home);
  localStorage.clear();
  sessionStorage.clear();
  for (const pair of document.cookie.split("; ")) {
    const name = pair.split("=")[0];
    // biome-ignore lint/suspicious/noDocumentCookie: the asynchronous Cookie Store is not in the test browser.
    if (name) document.cookie = `${name}=; Path=/; Max-Age=0`;
  }
});
