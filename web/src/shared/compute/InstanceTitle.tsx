// The name of an instance as a link to its page, with a button that copies its id.
import { Link } from "react-router";
import { CopyText } from "@/shared/ui/CopyText";
import type { InstanceView } from "./api";
import styles from "./InstanceTitle.module.css";
import { titleOf } from "./instance-name";
import { links } from "./links";

interface InstanceTitleProps {
  instance: Pick<InstanceView, "id" | "name" | "note">;
}

export function InstanceTitle({ instance }: InstanceTitleProps) {
  const title = titleOf(instance);
  return (
    <span className={styles.title}>
      <Link to={links.instance(instance.id)} title={title}>
        {title}
      </Link>
      <CopyText text={instance.name} label={`复制实例编号 ${instance.name}`} />
    </span>
  );
}
