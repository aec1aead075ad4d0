// 基本设置: the platform's name, the URLs of its parts, the default quotas.

import { Flex } from "antd";
import { PageIndex } from "@/shared/ui/PageIndex";
import { AddressFields, DefaultFields, IdentityFields, InstanceFields } from "./BasicFields";
import { type BasicPageForm, basicFormName, basicFormOf, basicOf } from "./basic-form";
import { MailPanel } from "./MailPanel";
import { NetworkFields } from "./NetworkFields";
import { networkFormOf, networkOf } from "./network-form";
import { RegistriesPanel } from "./RegistriesPanel";
import { SettingsFrame } from "./SettingsFrame";
import { SpaceFields } from "./SpaceFields";
import { spaceFormOf, spaceOf } from "./space-form";
import { WebhookPanel } from "./WebhookPanel";

export default function BasicSettingsPage() {
  return (
    <PageIndex>
      <SettingsFrame<BasicPageForm>
        name="basic"
        title="基本设置"
        meta="对所有人立即生效"
        toForm={({ basic, network, space }) => ({
          ...basicFormOf(basic),
          network: networkFormOf(network),
          space: spaceFormOf(space),
        })}
        toUpdate={({ network, space, ...basic }) => ({
          basic: basicOf(basic),
          network: networkOf(network),
          space: spaceOf(space),
        })}
        formName={basicFormName}
      >
        {() => (
          <>
            <IdentityFields />
            <AddressFields />
            <DefaultFields />
            <InstanceFields />
            <NetworkFields />
            <SpaceFields />
          </>
        )}
      </SettingsFrame>
      <Flex vertical gap={16} style={{ marginTop: 16 }}>
        <RegistriesPanel />
        <WebhookPanel />
        <MailPanel />
      </Flex>
    </PageIndex>
  );
}
