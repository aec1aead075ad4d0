// 我的实例, with what to do when there are none: on the dashboard and below the list of servers.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { LinkButton } from "@/shared/frame/LinkButton";
import { useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import { myInstancesQuery } from "./api";
import { InstancePanel } from "./InstancePanel";
import styles from "./InstanceRows.module.css";
import { links } from "./links";

const everything = () => true;

/** `extra` stands in the heading while there are instances; without any, the way to one stands below. */
export function MyInstances({ extra }: { extra?: ReactNode }) {
  const instances = useQuery(myInstancesQuery);
  const name = useSession((session) => session.username);
  const { data } = instances;
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
