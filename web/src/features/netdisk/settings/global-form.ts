// Conversion of the disk's settings to the form, and back. Settings that the form does not show stay unchanged.
import type { DiskSettings } from "./api";
import { fromForm, type ProfileForm, type RuleRow, ruleOf, ruleRow, toForm } from "./profile-form";

const gigabyte = 1024 ** 3;

/** Rounded up: less than one is not none. */
const gigabytes = (bytes: number) => Math.ceil(bytes / gigabyte);

/** An unchanged value stays the same to the byte. */
const bytes = (typed: number, stored: number) => (typed === gigabytes(stored) ? stored : typed * gigabyte);

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
  datasetLimit: number;
  versionLimit: number;
  shareLimit: number;
  /** Of a hundred. */
  readPercent: number;
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
  shareQuota: gigabytes(settings.quotas.share),
  datasetsQuota: gigabytes(settings.quotas.datasets),
  datasetLimit: settings.limits.datasets,
  versionLimit: settings.limits.versions,
  shareLimit: settings.limits.shares,
  readPercent: settings.audit.readPercent,
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
  quotas: {
    share: bytes(form.shareQuota, stored.quotas.share),
    datasets: bytes(form.datasetsQuota, stored.quotas.datasets),
  },
  limits: { datasets: form.datasetLimit, versions: form.versionLimit, shares: form.shareLimit },
  audit: { readPercent: form.readPercent },
  branding: { ...stored.branding, name: form.brandName.trim(), theme: form.brandTheme },
  rules: form.rules.map(ruleOf),
  defaults: fromForm(form.defaults, stored.defaults),
});
