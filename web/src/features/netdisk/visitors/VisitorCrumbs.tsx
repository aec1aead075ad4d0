// The path in a share.
import { Link } from "react-router";
import { asFolder, diskRoot, nameOf, shownName } from "../disk-paths";
import type { DropLinkProps } from "../operations/DropLink";
import { PathCrumbs } from "../PathCrumbs";
import { type Spot, spotAddress } from "./spot";

interface VisitorCrumbsProps {
  spot: Spot;
  /** The name of the shared entry, when it is shown itself. */
  root: string;
  isDir: boolean;
}

/** Nothing is moved in a share, so nothing can be dropped. */
const Step = ({ folder: _, ...link }: DropLinkProps) => <Link {...link} />;

export function VisitorCrumbs({ spot, root, isDir }: VisitorCrumbsProps) {
  const atRoot = spot.path === diskRoot;
  const path = atRoot ? `/${root}` : spot.path;
  return (
    <PathCrumbs
      path={isDir ? asFolder(path) : path}
      home="分享的根目录"
      addressOf={(target) => spotAddress(spot, atRoot ? diskRoot : target)}
      titleOf={(folder) => shownName(nameOf(folder))}
      step={Step}
    />
  );
}
