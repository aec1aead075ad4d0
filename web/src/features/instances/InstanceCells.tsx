// How an instance looks in the administrators' table and on a phone's card.
import { Link } from "react-router";
import type { InstanceView } from "@/shared/compute/api";
import { InstanceActions } from "@/shared/compute/InstanceActions";
import { InstanceCards } from "@/shared/compute/InstanceRows";
import { InstanceState } from "@/shared/compute/InstanceState";
import { InstanceTimes } from "@/shared/compute/InstanceTimes";
import { InstanceTitle } from "@/shared/compute/InstanceTitle";
import { titleOf } from "@/shared/compute/instance-name";
import { links } from "@/shared/compute/links";
import { coresText, memoryText } from "@/shared/compute/text";
import { inFull } from "@/shared/lib/person-name";
import type { DataColumn } from "@/shared/table/data-table";
import { PersonName } from "@/shared/ui/PersonName";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./InstanceCells.module.css";

function InstanceName({ instance }: { instance: InstanceView }) {
  const { name, image } = instance;
  const facts = titleOf(instance) === name ? image : `${name} · ${image}`;
  return (
    <span className={styles.name}>
      <InstanceTitle instance={instance} />
      <small title={facts}>{facts}</small>
    </span>
  );
}

const size = ({ cpuQuota, memory }: InstanceView) => `${coresText(cpuQuota)} · ${memoryText(memory)}`;

export const instanceColumns: readonly DataColumn<InstanceView>[] = [
  {
    key: "name",
    title: "实例",
    sort: "name",
    always: true,
    render: (instance) => <InstanceName instance={instance} />,
  },
  {
    key: "state",
    title: "状态",
    sort: "state",
    always: true,
    render: (instance) => <InstanceState instance={instance} />,
  },
  { key: "owner", title: "用户", sort: "username", render: ({ owner }) => <PersonName person={owner} /> },
  {
    key: "server",
    title: "服务器",
    render: ({ server }) => (server ? <Link to={links.server(server.id)}>{server.name}</Link> : "—"),
  },
  { key: "gpus", title: "显卡", render: (instance) => <InstanceCards instance={instance} /> },
  { key: "size", title: "CPU · 内存", wide: true, render: size },
  { key: "times", title: "时间", wide: true, render: (instance) => <InstanceTimes instance={instance} /> },
  {
    key: "created",
    title: "创建时间",
    sort: "created",
    optional: true,
    render: ({ created }) => <TimeText time={created} />,
  },
  {
    key: "actions",
    title: "操作",
    align: "right",
    always: true,
    render: (instance) => <InstanceActions instance={instance} full />,
  },
];

export function InstanceCard({ instance }: { instance: InstanceView }) {
  return (
    <div className={styles.card}>
      <div className={styles.head}>
        <InstanceName instance={instance} />
        <InstanceState instance={instance} />
      </div>
      <InstanceCards instance={instance} />
      <div className={styles.head}>
        <span>
          {inFull(instance.owner)} · {instance.server?.name ?? "—"} · {size(instance)}
        </span>
        <InstanceActions instance={instance} full />
      </div>
    </div>
  );
}
