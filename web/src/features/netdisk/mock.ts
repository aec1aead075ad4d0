// A fake storage host for tests, typed by the contract: one folder, changed by requests.
import { vi } from "vitest";
import type { components as portal } from "@/shared/api/portal";
import { json, publicSettings, serve } from "@/test-server";
import type { DiskUser } from "./account/api";
import type { Item, Resource } from "./api";

export function makeItem(part: Partial<Item> & { path: string }): Item {
  const name = part.path.split("/").filter(Boolean).at(-1) ?? "";
  const dot = name.lastIndexOf(".");
  return {
    name,
    size: 4096,
    extension: part.isDir || dot < 0 ? "" : name.slice(dot),
    modified: "2026-11-20T10:00:00.000Z",
    mode: 416,
    isDir: false,
    isSymlink: false,
    type: part.isDir ? "" : "text",
    ...part,
  };
}

export function makeFolder(path: string, items: readonly Item[], url?: URL): Resource {
  const offset = Number(url?.searchParams.get("offset") ?? 0);
  const limit = Number(url?.searchParams.get("limit") ?? items.length);
  return {
    ...makeItem({ path, isDir: true }),
    items: items.slice(offset, offset + limit),
    numDirs: items.filter((item) => item.isDir).length,
    numFiles: items.filter((item) => !item.isDir).length,
    sorting: { by: "name", asc: true },
  };
}

export const diskUser: DiskUser = {
  id: 7,
  username: "zhangmin",
  scope: "/",
  locale: "zh-cn",
  viewMode: "list",
  singleClick: false,
  sorting: { by: "name", asc: true },
  perm: {
    admin: false,
    create: true,
    delete: true,
    download: true,
    execute: false,
    modify: true,
    rename: true,
    share: true,
  },
  commands: [],
  rules: [],
  lockPassword: false,
  hideDotfiles: false,
  theme: "light",
  dateFormat: false,
  redirectAfterCopyMove: true,
  aceEditorTheme: "",
};

export const diskFeatures = {
  authMethod: "json",
  loginPage: true,
  signup: false,
  thumbnails: true,
  resizePreview: true,
  exec: true,
  name: "",
  theme: "",
};

/** The storage host's refusals are lines of text. */
export const refusal = (status: number, line: string) =>
  new Response(`${line}\n`, { status, headers: { "content-type": "text/plain", "x-request-id": "req-1" } });

export const done = () => refusal(200, "200 OK");

type Answers = NonNullable<Parameters<typeof serve>[0]>;

export function serveDisk(answers: Answers = {}, { role = 2, storageHost = "/disk" } = {}) {
  const usage = () =>
    json({
      total: 1000 * 1024 ** 3,
      used: 100 * 1024 ** 3,
      datasets: 0,
      quota: 500 * 1024 ** 3,
      counted: new Date().toISOString(),
    });
  const group: Partial<portal["schemas"]["Group"]> = { id: 5, name: "计算机视觉", folder: "cv" };
  return serve(
    {
      "GET /api/settings/public": () => json({ ...publicSettings, storageHost }),
      "GET /api/groups": () => json({ items: [group], total: 1 }),
      "GET /disk/api/public/settings": () => json(diskFeatures),
      "GET /disk/api/users/7": () => json(diskUser),
      "PUT /disk/api/users/7": done,
      "GET /disk/api/trash": () => json({ items: [], total: 0, keepDays: 30 }),
      "GET /disk/api/usage/": usage,
      "GET /disk/api/usage/home/": usage,
      "GET /disk/api/usage/home/deep/er/": usage,
      ...answers,
    },
    role,
  );
}

/** The test browser lays nothing out: gives the list a height, without which it would show no row. */
export function giveHeight() {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(720);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1000);
}

export interface Sent {
  method: string;
  url: string;
  authorization: string;
  /** `reason` is the code of a refusal. */
  end: (status: number, line: string, reason?: string) => void;
}

/** Replaces XMLHttpRequest; requests wait for `end`. */
export function catchUploads(): Sent[] {
  const sent: Sent[] = [];
  class FakeRequest {
    upload: { onprogress: ((event: { loaded: number }) => void) | null } = { onprogress: null };
    onloadend: (() => void) | null = null;
    status = 0;
    responseText = "";
    private reason: string | null = null;
    private call = { method: "", url: "", authorization: "" };

    open(method: string, url: URL) {
      this.call = { ...this.call, method, url: url.pathname + url.search };
    }

    setRequestHeader(_name: string, value: string) {
      this.call.authorization = value;
    }

    getResponseHeader() {
      return this.reason;
    }

    send() {
      sent.push({
        ...this.call,
        end: (status, line, reason) => {
          this.status = status;
          this.reason = reason ?? null;
          this.responseText = line;
          this.onloadend?.();
        },
      });
    }

    abort() {
      this.onloadend?.();
    }
  }
  vi.stubGlobal("XMLHttpRequest", FakeRequest);
  return sent;
}
