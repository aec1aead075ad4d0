// The form of the authentication settings. The bind password is write-only: it reads as empty, and an empty one keeps
// the stored one.
import type { AuthenticationSettings, LdapSettings } from "./api";
import { formName } from "./form-name";

export type AuthForm = AuthenticationSettings;

/** `authentication.local.sessionHours` is `local.sessionHours` here. */
export const authFormName = (apiName: string): (string | number)[] => formName(apiName).slice(1);

export const authUpdate = (form: AuthForm): AuthenticationSettings => ({
  ...form,
  ldap: ldapUpdate(form.ldap),
});

/** The request body: texts trimmed, and no password for an anonymous bind. */
export function ldapUpdate(ldap: LdapSettings): LdapSettings {
  const { attributes, searches, groupMapping } = ldap;
  const bindDn = ldap.bindDn.trim();
  return {
    ...ldap,
    url: ldap.url.trim(),
    caCertificate: ldap.caCertificate.trim(),
    bindDn,
    ...(bindDn === "" && { bindPassword: "", bindPasswordSet: false }),
    searches: searches.map(({ base, filter }) => ({ base: base.trim(), filter: filter.trim() })),
    attributes: {
      username: attributes.username.trim(),
      name: attributes.name.trim(),
      email: attributes.email.trim(),
      phone: attributes.phone.trim(),
    },
    groupMapping: groupMapping.map(({ dn, group }) => ({ dn: dn.trim(), group })),
  };
}
