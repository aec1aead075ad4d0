import { describe, expect, it } from "vitest";
import type { DiskSettings } from "./api";
import { globalForm, globalSettings } from "./global-form";

const GB = 1024 ** 3;

const stored: DiskSettings = {
  signup: false,
  createUserDir: true,
  defaults: {
    scope: "/",
    locale: "zh-cn",
    viewMode: "list",
    singleClick: false,
    sorting: { by: "name", asc: true },
    perm: {
      admin: false,
      create: true,
      rename: true,
      modify: true,
      delete: true,
      download: true,
      share: true,
      execute: false,
    },
    commands: [],
    rules: [],
    lockPassword: false,
    hideDotfiles: false,
    theme: "light",
    dateFormat: false,
    redirectAfterCopyMove: true,
    aceEditorTheme: "",
  },
  rules: [],
  branding: {
    name: "",
    disableExternal: false,
    disableUsedPercentage: false,
    files: "",
    theme: "",
    color: "",
  },
  shell: [],
  commands: {},
  thumbnails: true,
  resizePreview: true,
  exec: true,
  shareReadOnly: false,
  trashDays: 30,
  quotas: { share: 100 * 1024 ** 2, datasets: 0 },
  limits: { datasets: 100, versions: 20, shares: 200 },
  audit: { readPercent: 0 },
  filebrowserPages: false,
  tus: { chunkSize: 10 * 1024 ** 2, retryCount: 5 },
  hideLoginButton: false,
  minimumPasswordLength: 6,
  userHomeBasePath: "/home",
};

describe("the form of the disk's settings", () => {
  it("gives back what was not touched, also a quota below one GB", () => {
    const form = globalForm(stored);
    expect(form).toMatchObject({ shareQuota: 1, datasetsQuota: 0 });
    expect(globalSettings(form, stored)).toEqual(stored);
  });

  it("has quotas in GB and how many there may be", () => {
    const form = { ...globalForm(stored), shareQuota: 0, datasetsQuota: 500 };
    const typed = { ...form, datasetLimit: 5, versionLimit: 3, shareLimit: 50, readPercent: 10 };
    expect(globalSettings(typed, stored)).toMatchObject({
      quotas: { share: 0, datasets: 500 * GB },
      limits: { datasets: 5, versions: 3, shares: 50 },
      audit: { readPercent: 10 },
    });
  });
});
