// The form of the basic settings: the API's shape, with the default quotas in the units of the screen.
import { fromQuotaForm, type QuotaForm, quotaFormName, toQuotaForm } from "@/shared/quotas/quotas";
import type { BasicSettings } from "./api";
import type { NetworkForm } from "./network-form";
import type { SpaceForm } from "./space-form";

export interface BasicForm extends Omit<BasicSettings, "defaultQuotas"> {
  defaultQuotas: QuotaForm;
}

export function basicFormOf(basic: BasicSettings): BasicForm {
  return { ...basic, defaultQuotas: toQuotaForm(basic.defaultQuotas) };
}

export function basicOf(form: BasicForm): BasicSettings {
  const trimmed = Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, typeof value === "string" ? value.trim() : value]),
  );
  return { ...form, ...trimmed, defaultQuotas: fromQuotaForm(form.defaultQuotas) };
}

/** The form of the basic settings' page: three parts of the settings, which are stored together. */
export interface BasicPageForm extends BasicForm {
  network: NetworkForm;
  space: SpaceForm;
}

/** `basic.defaultQuotas.diskQuota` is `defaultQuotas.diskGb` here; a fault of the whole range is shown at its end. */
export function basicFormName(apiName: string): string[] {
  const [part, ...rest] = apiName.split(".");
  if (part === "network") return [part, ...rest];
  if (part === "space") return [part, ...rest.map((name) => (name === "rootLimit" ? "rootGb" : name))];
  const path = rest.map(quotaFormName);
  return path.length === 1 && path[0] === "portRange" ? ["portRange", "to"] : path;
}
