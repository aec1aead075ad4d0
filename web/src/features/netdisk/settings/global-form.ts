// The disk's settings as the form has them, and back. What the form does not show stays as it is stored.
import type { DiskSettings } from "./api";
import { fromForm, type ProfileForm, type RuleRow, ruleOf, ruleRow, toForm } from "./profile-form";

const gigabyte = 1024 ** 3;

export interface GlobalForm {
  thumbnails: boolean;
  resizePreview: boolean;
  exec: boolean;
  shareReadOnly: boolean;
  createUserDir: boolean;
  filebrowserPages: boolean;
  trashDays: number;
  /** In GB. */
  shareQuota: number;
  datasetsQuota: number;
  brandName: string;
  brandTheme: string;
  rules: RuleRow[];
  defaults: ProfileForm;
}

export const globalForm = (settings: DiskSettings): GlobalForm => ({
  thumbnails: settings.thumbnails,
  resizePreview: settings.resizePreview,
  exec: settings.exec,
  shareReadOnly: settings.shareReadOnly,
  createUserDir: settings.createUserDir,
  filebrowserPages: settings.filebrowserPages,
  trashDays: settings.trashDays,
  shareQuota: Math.round(settings.quotas.share / gigabyte),
  datasetsQuota: Math.round(settings.quotas.datasets / gigabyte),
  brandName: settings.branding.name,
  brandTheme: settings.branding.theme,
  rules: settings.rules.map(ruleRow),
  defaults: toForm(settings.defaults),
});

export const globalSettings = (form: GlobalForm, stored: DiskSettings): DiskSettings => ({
  ...stored,
  thumbnails: form.thumbnails,
  resizePreview: form.resizePreview,
  exec: form.exec,
  shareReadOnly: form.shareReadOnly,
  createUserDir: form.createUserDir,
  filebrowserPages: form.filebrowserPages,
  trashDays: form.trashDays,
  quotas: { share: form.shareQuota * gigabyte, datasets: form.datasetsQuota * gigabyte },
  branding: { ...stored.branding, name: form.brandName.trim(), theme: form.brandTheme },
  rules: form.rules.map(ruleOf),
  defaults: fromForm(form.defaults, stored.defaults),
});
