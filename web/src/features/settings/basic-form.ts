// The form of the basic settings: the API's shape, with the default quotas in the units of the screen.
import { fromQuotaForm, type QuotaForm, toQuotaForm } from "@/shared/quotas/quotas";
import type { BasicSettings } from "./api";

export interface BasicForm extends Omit<BasicSettings, "defaultQuotas"> {
  defaultQuotas: QuotaForm;
}

export function basicFormOf(basic: BasicSettings): BasicForm {
  return { ...basic, defaultQuotas: toQuotaForm(basic.defaultQuotas) };
}

export function basicOf(form: BasicForm): BasicSettings {
  return { ...form, defaultQuotas: fromQuotaForm(form.defaultQuotas) };
}

/** Where the server's names of fields and the form's differ. */
export const basicFieldNames = {
  ...withPrefix([
    "productName",
    "storageHost",
    "baseUrl",
    "internalBaseUrl",
    "publicImageUrl",
    "faqLink",
    "thanksText",
    "thanksLink",
    "copyright",
    "minerNotice",
    "idleMinutes",
    "keepDays",
    "portRange.from",
    "portRange.to",
    "defaultQuotas.instanceLimit",
    "defaultQuotas.instanceLimitOffset",
    "defaultQuotas.GPUNumlimit",
  ]),
  "basic.defaultQuotas.CPUPeriodQuota": ["defaultQuotas", "cores"],
  "basic.defaultQuotas.memoryLimit": ["defaultQuotas", "memoryGb"],
  "basic.defaultQuotas.diskQuota": ["defaultQuotas", "diskGb"],
};

function withPrefix(names: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(names.map((name) => [`basic.${name}`, name.split(".")]));
}
