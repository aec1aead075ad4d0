// 认证设置: the rules of local accounts, and the directory.

import { useQuery } from "@tanstack/react-query";
import { groupOptionsQuery } from "@/shared/list/group-options";
import { PageIndex } from "@/shared/ui/PageIndex";
import { authFormName, authUpdate } from "./auth-form";
import { LdapFields } from "./LdapFields";
import { LocalFields } from "./LocalFields";
import { SettingsFrame } from "./SettingsFrame";

export default function AuthSettingsPage() {
  const groups = useQuery(groupOptionsQuery);
  return (
    <PageIndex>
      <SettingsFrame
        name="authentication"
        title="认证设置"
        meta="登录时的规则和账号来源"
        toForm={(settings) => settings.authentication}
        toUpdate={(form) => ({ authentication: authUpdate(form) })}
        formName={authFormName}
      >
        {({ authentication }) => (
          <>
            <LocalFields />
            <LdapFields
              passwordSet={authentication.ldap.bindPasswordSet ?? false}
              groups={groups.data ?? []}
            />
          </>
        )}
      </SettingsFrame>
    </PageIndex>
  );
}
