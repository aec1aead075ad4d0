// 日志与数据保留: the retention of growing data, and the forwarding of logs.
import { Flex } from "antd";
import { PageIndex } from "@/shared/ui/PageIndex";
import { AuditPanel } from "./AuditPanel";
import { ArchivesPanel, KeptPanel } from "./KeptPanel";
import { RetentionFields } from "./RetentionFields";
import { retentionFormName, retentionFormOf, retentionOf } from "./retention-form";
import { SettingsFrame } from "./SettingsFrame";
import { SyslogFields } from "./SyslogFields";

export default function RetentionSettingsPage() {
  return (
    <PageIndex>
      <Flex vertical gap={16}>
        <div>
          <SettingsFrame
            name="retention"
            title="日志与数据保留"
            meta="每小时清理一次到期的数据"
            toForm={retentionFormOf}
            toUpdate={retentionOf}
            formName={retentionFormName}
          >
            {() => (
              <>
                <RetentionFields />
                <SyslogFields />
              </>
            )}
          </SettingsFrame>
        </div>
        <AuditPanel />
        <KeptPanel />
        <ArchivesPanel />
      </Flex>
    </PageIndex>
  );
}
