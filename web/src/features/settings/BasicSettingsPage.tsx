// 基本设置: how the portal is called, where its parts are reached, what people get by default.

import { AddressFields, DefaultFields, IdentityFields, InstanceFields } from "./BasicFields";
import { basicFormName, basicFormOf, basicOf } from "./basic-form";
import { MailPanel } from "./MailPanel";
import { RegistriesPanel } from "./RegistriesPanel";
import { SettingsFrame } from "./SettingsFrame";
import { WebhookPanel } from "./WebhookPanel";

export default function BasicSettingsPage() {
  return (
    <>
      <SettingsFrame
        name="basic"
        title="基本设置"
        meta="对所有人立即生效"
        toForm={(settings) => basicFormOf(settings.basic)}
        toUpdate={(form) => ({ basic: basicOf(form) })}
        formName={basicFormName}
      >
        {() => (
          <>
            <IdentityFields />
            <AddressFields />
            <DefaultFields />
            <InstanceFields />
          </>
        )}
      </SettingsFrame>
      <RegistriesPanel />
      <WebhookPanel />
      <MailPanel />
    </>
  );
}
