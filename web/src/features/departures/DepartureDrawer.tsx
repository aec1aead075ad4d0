// One departure: the outcome for each thing, the file of the record, and the remaining actions.
import { useMutation, useQuery } from "@tanstack/react-query";
import { Alert, App, Button, Drawer, Flex, Skeleton } from "antd";
import { useState } from "react";
import { drawerClose } from "@/shared/form/drawer-close";
import { Icon } from "@/shared/theme/Icon";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { StateText } from "@/shared/ui/StateText";
import { saveFile } from "@/shared/ui/save-file";
import { TimeText } from "@/shared/ui/TimeText";
import { usePhone } from "@/shared/ui/usePhone";
import { type DepartureDetail, type DepartureItem, departureFile, departureQuery } from "./api";
import styles from "./Departures.module.css";
import { RetryPanel } from "./RetryPanel";
import { actionLabel, itemLooks, kindLabels, stateLooks } from "./words";

interface DepartureDrawerProps {
  open: boolean;
  id: string;
  onClose: () => void;
}

export function DepartureDrawer({ open, id, onClose }: DepartureDrawerProps) {
  const phone = usePhone();
  const departure = useQuery({ ...departureQuery(id), enabled: open && id !== "" });
  const { data, error, refetch } = departure;
  return (
    <Drawer
      open={open}
      title={data ? `${data.user.username} 的离开` : "人员离开"}
      size={phone ? "100%" : 560}
      closable={drawerClose}
      destroyOnHidden
      onClose={onClose}
    >
      {!data && !error && <Skeleton active aria-label="正在取得进展" />}
      {!data && error && <ErrorPanel title="进展没有取到" error={error} onRetry={() => void refetch()} />}
      {data && <Detail one={data} />}
    </Drawer>
  );
}

function Detail({ one }: { one: DepartureDetail }) {
  const { label, icon, tone } = stateLooks[one.state];
  const [changing, setChanging] = useState(false);
  return (
    <Flex vertical gap={16}>
      <Flex justify="space-between" align="center" gap={8} wrap>
        <span className={styles.lines}>
          <StateText icon={icon} tone={tone}>
            {label}
          </StateText>
          <small>
            由 {one.by} 办理，
            <TimeText time={one.started ?? one.created} full />
          </small>
        </span>
        {one.state !== "planned" && <FileButton one={one} />}
      </Flex>
      {one.state === "running" && !changing && (
        <span>
          <Button onClick={() => setChanging(true)}>修改没有开始的项</Button>
        </span>
      )}
      {(one.state === "failed" || (one.state === "running" && changing)) && (
        <RetryPanel one={one} onDone={() => setChanging(false)} />
      )}
      {one.state === "planned" && (
        <Alert type="info" showIcon title="账号到期时按计划自动办理，之前可以在“办理离开”里修改或取消" />
      )}
      <ul className={styles.items} aria-label="各项进展">
        {one.items.map((item) => (
          <Item key={item.number} item={item} />
        ))}
      </ul>
    </Flex>
  );
}

function Item({ item }: { item: DepartureItem }) {
  const { label, icon, tone } = itemLooks[item.state];
  const whose = item.receiver && `，接手：${item.receiver}`;
  return (
    <li className={styles.item}>
      <span className={styles.lines}>
        <span>
          {kindLabels[item.kind]} · {item.name}
        </span>
        <small>
          {actionLabel(item.kind, item.action)}
          {whose}
        </small>
        {item.words && <small>{item.words}</small>}
      </span>
      <StateText icon={icon} tone={tone}>
        {label}
      </StateText>
    </li>
  );
}

function FileButton({ one }: { one: DepartureDetail }) {
  const { message } = App.useApp();
  const fetching = useMutation({
    mutationFn: () => departureFile(one.id),
    onSuccess: (csv) => saveFile(`离开-${one.user.username}.csv`, csv),
    onError: (error) => message.error(`没有下载：${error.message}`, 2),
  });
  return (
    <Button
      icon={<Icon name="download" size={14} />}
      loading={fetching.isPending}
      onClick={() => fetching.mutate()}
    >
      下载结果
    </Button>
  );
}
