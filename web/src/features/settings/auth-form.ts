// The form of the authentication settings. The bind password only ever goes in: it reads as empty, and leaving it
// empty keeps the stored one.
import type { AuthenticationSettings } from "./api";

export type AuthForm = AuthenticationSettings;

/** `authentication.local.sessionHours` is `local.sessionHours` here. */
export const authFormName = (apiName: string): string[] => apiName.split(".").slice(1);

export function authUpdate(form: AuthForm): AuthenticationSettings {
  const trimmed = form.ldap.searches.map(({ base, filter }) => ({
    base: base.trim(),
    filter: filter.trim(),
  }));
  return { ...form, ldap: { ...form.ldap, url: form.ldap.url.trim(), searches: trimmed } };
}
