// The path: home, and at most its last three names; the others are behind one `…`.
import type { ComponentType } from "react";
import { Icon } from "@/shared/theme/Icon";
import { diskRoot, isFolderPath, namesOf, shownName } from "./disk-paths";
import type { DropLinkProps } from "./operations/DropLink";
import styles from "./PathCrumbs.module.css";

const most = 3;

interface Crumb {
  name: string;
  path: string;
}

function crumbsOf(path: string, titleOf: (path: string) => string): Crumb[] {
  const names = namesOf(path);
  return names.map((name, index) => {
    const upTo = `/${names.slice(0, index + 1).join("/")}`;
    const last = index === names.length - 1;
    if (last && !isFolderPath(path)) return { name: shownName(name), path: upTo };
    return { name: titleOf(`${upTo}/`), path: `${upTo}/` };
  });
}

interface PathCrumbsProps {
  path: string;
  /** Label of the first step. */
  home: string;
  addressOf: (path: string) => string;
  /** The displayed name of a folder. */
  titleOf: (path: string) => string;
  /** The title of a page that is no folder, such as the recycle bin. */
  here?: string | undefined;
  /** One step; entries may be dropped on it. */
  step: ComponentType<DropLinkProps>;
}

export function PathCrumbs({ path, home, addressOf, titleOf, here, step: Step }: PathCrumbsProps) {
  const crumbs = crumbsOf(path, titleOf);
  const shown = crumbs.slice(-most);
  const hidden = crumbs.slice(0, -most);
  const nearest = hidden.at(-1);
  return (
    <nav className={styles.path} aria-label="路径">
      <Step
        folder={diskRoot}
        to={addressOf(diskRoot)}
        className={styles.crumb}
        aria-label={home}
        title={home}
      >
        <Icon name="home" />
      </Step>
      {nearest && (
        <>
          <Icon name="right" size={12} className={styles.gap} />
          <Step
            folder={nearest.path}
            to={addressOf(nearest.path)}
            className={styles.crumb}
            aria-label={`上级文件夹 ${nearest.name}`}
            title={hidden.map(({ name }) => name).join(" / ")}
          >
            …
          </Step>
        </>
      )}
      {shown.map(({ name, path: target }, index) => {
        const last = index === shown.length - 1;
        return (
          <span key={target} className={last ? styles.lastStep : styles.step}>
            <Icon name="right" size={12} className={styles.gap} />
            <Step
              folder={target}
              to={addressOf(target)}
              className={last ? `${styles.crumb} ${styles.current}` : styles.crumb}
              aria-current={last ? "page" : undefined}
              title={name}
            >
              {name}
            </Step>
          </span>
        );
      })}
      {here && (
        <span className={styles.lastStep}>
          <Icon name="right" size={12} className={styles.gap} />
          <span className={`${styles.crumb} ${styles.current}`} aria-current="page">
            {here}
          </span>
        </span>
      )}
    </nav>
  );
}
