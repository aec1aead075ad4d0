// Conversion of a disk user's profile to the form, and back.
import type { Profile, Rule } from "./api";
import { orderOf, permissions, shownView, sortingOf } from "./options";

export interface RuleRow {
  effect: "allow" | "deny";
  kind: "path" | "regex";
  text: string;
}

export interface ProfileForm {
  scope: string;
  viewMode: ReturnType<typeof shownView>;
  order: string;
  singleClick: boolean;
  hideDotfiles: boolean;
  theme: Profile["theme"];
  lockPassword: boolean;
  perm: string[];
  /** One program per line. */
  commands: string;
  rules: RuleRow[];
}

export const ruleRow = ({ allow, regex, path, regexp }: Rule): RuleRow => ({
  effect: allow ? "allow" : "deny",
  kind: regex ? "regex" : "path",
  text: regex ? regexp.raw : path,
});

export const ruleOf = ({ effect, kind, text }: RuleRow): Rule => ({
  allow: effect === "allow",
  regex: kind === "regex",
  path: kind === "path" ? text.trim() : "",
  regexp: { raw: kind === "regex" ? text : "" },
});

export const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

export const toForm = (profile: Profile): ProfileForm => ({
  scope: profile.scope,
  viewMode: shownView(profile.viewMode),
  order: orderOf(profile.sorting),
  singleClick: profile.singleClick,
  hideDotfiles: profile.hideDotfiles,
  theme: profile.theme,
  lockPassword: profile.lockPassword,
  perm: permissions.filter(({ value }) => profile.perm[value]).map(({ value }) => value),
  commands: profile.commands.join("\n"),
  rules: profile.rules.map(ruleRow),
});

/** An administrator of the disk has every permission. */
export const withAdmin = (perm: readonly string[]): string[] =>
  perm.includes("admin") ? permissions.map(({ value }) => value) : [...perm];

export function fromForm(form: ProfileForm, before: Profile): Profile {
  const perm = withAdmin(form.perm);
  const has = (name: (typeof permissions)[number]["value"]) => perm.includes(name);
  return {
    ...before,
    scope: form.scope.trim(),
    viewMode: form.viewMode === shownView(before.viewMode) ? before.viewMode : form.viewMode,
    sorting: sortingOf(form.order),
    singleClick: form.singleClick,
    hideDotfiles: form.hideDotfiles,
    theme: form.theme,
    lockPassword: form.lockPassword,
    perm: {
      admin: has("admin"),
      create: has("create"),
      delete: has("delete"),
      download: has("download"),
      execute: has("execute"),
      modify: has("modify"),
      rename: has("rename"),
      share: has("share"),
    },
    commands: linesOf(form.commands),
    rules: form.rules.map(ruleOf),
  };
}
