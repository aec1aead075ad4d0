// A link to a folder that entries can be dropped on to move them there.
import { Link, type LinkProps } from "react-router";
import { mayChange } from "../actions";
import { useDisk } from "../disk-context";
import styles from "./DropLink.module.css";
import { useDropTarget } from "./drag";
import { useRelocate } from "./useRelocate";

export interface DropLinkProps extends LinkProps {
  folder: string;
}

export function DropLink({ folder, className, ...link }: DropLinkProps) {
  const { viewer } = useDisk();
  const relocate = useRelocate();
  const { reason, hidden } = mayChange(folder, viewer);
  const drop = useDropTarget(
    reason === undefined && !hidden ? folder : "",
    (items) => void relocate({ verb: "rename", items, to: folder }),
  );
  return (
    <Link
      {...link}
      {...drop.on}
      className={[className, drop.over && styles.over].filter(Boolean).join(" ")}
    />
  );
}
