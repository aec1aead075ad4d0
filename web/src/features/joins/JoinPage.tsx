// 添加服务器: an explanation, the one line to run there, and its progress; or the same by hand.
import { useQuery } from "@tanstack/react-query";
import { Flex, Segmented } from "antd";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { usePhone } from "@/shared/ui/usePhone";
import { type JoinForm, joinQuery, type NewJoin, recentJoinsQuery, useCreateJoin } from "./api";
import { JoinCommand } from "./JoinCommand";
import { JoinFields } from "./JoinFields";
import { JoinProgress } from "./JoinProgress";
import { ManualSteps } from "./ManualSteps";

type Way = "script" | "manual";

const ways: readonly { value: Way; label: string }[] = [
  { value: "script", label: "一行命令" },
  { value: "manual", label: "手工添加" },
];

export default function JoinPage() {
  const [address, setAddress] = useSearchParams();
  const phone = usePhone();
  const way: Way = address.get("way") === "manual" ? "manual" : "script";
  return (
    <>
      <PageHeader
        title="添加服务器"
        actions={
          <Segmented<Way>
            aria-label="添加方式"
            value={way}
            options={[...ways]}
            onChange={(next) => setAddress(next === "manual" ? { way: next } : {}, { replace: true })}
          />
        }
      />
      <Flex vertical gap={phone ? 12 : 16}>
        {way === "manual" ? <ManualSteps /> : <ByScript />}
      </Flex>
    </>
  );
}

function ByScript() {
  const [address, setAddress] = useSearchParams();
  const [made, setMade] = useState<NewJoin | null>(null);
  const id = address.get("join");
  const again = () => {
    setMade(null);
    setAddress({}, { replace: true });
  };
  if (!id) {
    return (
      <NewOne
        onMade={(join) => {
          setMade(join);
          setAddress({ join: join.id }, { replace: true });
        }}
      />
    );
  }
  return <Progress id={id} made={made?.id === id ? made : null} onAgain={again} />;
}

function NewOne({ onMade }: { onMade: (join: NewJoin) => void }) {
  const settings = useQuery(publicSettingsQuery);
  const recent = useQuery(recentJoinsQuery);
  const create = useCreateJoin();
  // A failed request only leaves fields empty.
  if (recent.isPending || settings.isPending) return <TableSkeleton rows={4} rowHeight={56} />;
  // Servers of a lab mostly have the same disk.
  const last = recent.data?.items[0];
  const initialValues: JoinForm = {
    name: "",
    host: "",
    port: 2376,
    storagePath: last?.storagePath ?? "",
    storageSource: last?.storageSource ?? "",
    portal: settings.data?.internalBaseUrl || window.location.origin,
  };
  return (
    <Panel title="这台服务器" padded>
      <JoinFields
        initialValues={initialValues}
        error={create.error}
        submitting={create.isPending}
        onSubmit={(values) => create.mutate(values, { onSuccess: onMade })}
      />
    </Panel>
  );
}

interface ProgressProps {
  id: string;
  /** The command, if it was made here just now. */
  made: NewJoin | null;
  onAgain: () => void;
}

function Progress({ id, made, onAgain }: ProgressProps) {
  const { data, error, refetch } = useQuery(joinQuery(id));
  return (
    <>
      {made && data?.open !== false && <JoinCommand made={made} />}
      {data && <JoinProgress join={data} onAgain={onAgain} />}
      {!data && error && <ErrorPanel title="进度没有取到" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <TableSkeleton rows={7} rowHeight={44} />}
    </>
  );
}
