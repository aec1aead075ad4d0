// The portal's named items in local storage. A browser that refuses storage (private mode, a full disk) only loses
// them: every reader has a default.

const keys = {
  baseUrl: "base_url",
  internalBaseUrl: "internal_base_url",
  publicImageUrl: "public_image_url",
  /** The account that signed in last, filled in on the login page. */
  loginName: "login_name",
  storageHost: "storage_host",
  /** As it was last: shown at once, so that a page does not move when the settings come. */
  minerNotice: "miner_notice_text",
  uiSettings: "ui_settings",
  terminalLooks: "terminal_looks",
  /** Users who closed the first steps on the dashboard. */
  firstStepsClosed: "first_steps_closed",
  /** Announcements that were read here, by user. */
  announcementsRead: "announcements_read",
} as const;

export type LocalItem = keyof typeof keys;

export function readLocal(item: LocalItem): string | null {
  try {
    return localStorage.getItem(keys[item]);
  } catch {
    return null;
  }
}

export function writeLocal(item: LocalItem, value: string) {
  try {
    localStorage.setItem(keys[item], value);
  } catch {
    // Nothing that the user could do about it, and nothing is lost but the memory of it.
  }
}
