// 备份: the age of the last good backups, a button to make one, the list, and how to restore them.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Flex } from "antd";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { DataTable } from "@/shared/table/DataTable";
import { PageHeader } from "@/shared/ui/PageHeader";
import { usePhone } from "@/shared/ui/usePhone";
import { type Backup, backupsQuery, useBackUp } from "./api";
import { BackupCard, backupColumns } from "./BackupCells";
import { BackupHelp } from "./BackupHelp";
import { BackupSummary } from "./BackupSummary";

export default function BackupsPage() {
  const phone = usePhone();
  const list = useListParams<never>({ sort: "started", order: "desc" });
  const backups = useQuery(backupsQuery(list));
  const { data } = backups;
  return (
    <>
      <PageHeader
        title="备份"
        meta={data?.settings && scheduleText(data.settings.keep)}
        actions={<BackUpButton running={data?.running != null} available={data?.settings !== null} />}
      />
      <Flex vertical gap={phone ? 12 : 16}>
        <BackupSummary backups={backups} />
        <DataTable<Backup>
          id="backups"
          label="备份记录"
          unit="份"
          rowHeight={44}
          rowKey={({ id }) => id}
          columns={backupColumns}
          source={listSource(backups)}
          list={list}
          card={(backup) => <BackupCard backup={backup} />}
          filters={{ active: list.active, onReset: list.reset }}
          empty={{ icon: "save", text: "还没有备份", note: "平台运行一小时后自动做第一份" }}
        />
        <BackupHelp settings={data?.settings ?? undefined} />
      </Flex>
    </>
  );
}

const scheduleText = (keep: number) => (keep > 0 ? `每天自动备份，保留最新的 ${keep} 份` : "自动备份已关闭");

function BackUpButton({ running, available }: { running: boolean; available: boolean }) {
  const { message } = App.useApp();
  const backUp = useBackUp();
  const reason = running ? "正在备份" : available ? undefined : "这个平台不能备份";
  return (
    <Button
      type="primary"
      disabled={reason !== undefined}
      title={reason}
      loading={backUp.isPending}
      onClick={() =>
        backUp.mutate(undefined, {
          onSuccess: () => message.success("已开始备份", 1.5),
          onError: (error) => message.error(error.message, 2),
        })
      }
    >
      {running ? "正在备份" : "立即备份"}
    </Button>
  );
}
