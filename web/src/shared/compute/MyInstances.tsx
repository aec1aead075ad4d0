// 我的实例, with the next action when there are none: on the dashboard and below the list of servers.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { LinkButton } from "@/shared/frame/LinkButton";
import { useSession } from "@/shared/stores/session";
import { SelectionBar } from "@/shared/table/SelectionBar";
import { Icon } from "@/shared/theme/Icon";
import { type InstanceView, myInstancesQuery } from "./api";
import { InstanceBatch } from "./InstanceBatch";
import { InstancePanel } from "./InstancePanel";
import styles from "./InstanceRows.module.css";
import { isStopped } from "./instance-state";
import { links } from "./links";

const everything = () => true;

/** The newest first among those that run and among those that don't. */
const runningFirst = <List extends { items: InstanceView[] }>(list: List): List => ({
  ...list,
  items: list.items.toSorted((a, b) => Number(isStopped(a)) - Number(isStopped(b))),
});

/** `extra` is in the heading while there are instances; without any, a link to create one is below. */
export function MyInstances({ extra }: { extra?: ReactNode }) {
  const instances = useQuery({ ...myInstancesQuery, select: runningFirst });
  const name = useSession((session) => session.username);
  const { data } = instances;
  const [ids, setIds] = useState<readonly string[]>([]);
  // An instance that was released meanwhile is not selected any more.
  const selected = data?.items.filter(({ id }) => ids.includes(id)) ?? [];
  const several = data !== undefined && data.items.length > 1;
  return (
    <InstancePanel
      title={<>我的实例 {data && data.total > 0 && <span className={styles.count}>{data.total}</span>}</>}
      extra={data?.total === 0 ? undefined : extra}
      label="我的实例"
      instances={instances}
      empty={{
        text: "还没有实例",
        note: `选好服务器、显卡和镜像就能创建，网盘文件在实例里的 /home/${name}`,
        action: <CreateLink />,
      }}
      full={everything}
      {...(several && { selection: { ids: selected.map(({ id }) => id), onChange: setIds } })}
      above={
        several &&
        selected.length > 0 && (
          <div className={styles.batch}>
            <SelectionBar
              text={`已选 ${selected.length} 个`}
              actions={<InstanceBatch instances={selected} onDone={setIds} />}
              onClear={() => setIds([])}
            />
          </div>
        )
      }
    />
  );
}

/** The way to a new instance. */
export function CreateLink() {
  return (
    <LinkButton type="primary" to={links.create()} icon={<Icon name="plus" size={14} />}>
      创建实例
    </LinkButton>
  );
}
