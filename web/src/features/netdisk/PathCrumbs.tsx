// The path: home, and at most its last three names; what stands before them is behind one `…`.
import { Icon } from "@/shared/theme/Icon";
import { diskRoot, filesAddress, isFolderPath, namesOf, shownName } from "./disk-paths";
import { DropLink } from "./operations/DropLink";
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
  /** Kept in the links: the order of the listing. */
  search: string;
  /** What people call a folder. */
  titleOf: (path: string) => string;
}

export function PathCrumbs({ path, search, titleOf }: PathCrumbsProps) {
  const crumbs = crumbsOf(path, titleOf);
  const shown = crumbs.slice(-most);
  const hidden = crumbs.slice(0, -most);
  const nearest = hidden.at(-1);
  return (
    <nav className={styles.path} aria-label="路径">
      <DropLink
        folder={diskRoot}
        to={filesAddress(diskRoot) + search}
        className={styles.crumb}
        aria-label="主目录"
        title="主目录"
      >
        <Icon name="home" />
      </DropLink>
      {nearest && (
        <>
          <Icon name="right" size={12} className={styles.gap} />
          <DropLink
            folder={nearest.path}
            to={filesAddress(nearest.path) + search}
            className={styles.crumb}
            aria-label={`上级文件夹 ${nearest.name}`}
            title={hidden.map(({ name }) => name).join(" / ")}
          >
            …
          </DropLink>
        </>
      )}
      {shown.map(({ name, path: target }, index) => {
        const last = index === shown.length - 1;
        return (
          <span key={target} className={last ? styles.lastStep : styles.step}>
            <Icon name="right" size={12} className={styles.gap} />
            <DropLink
              folder={target}
              to={filesAddress(target) + search}
              className={last ? `${styles.crumb} ${styles.current}` : styles.crumb}
              aria-current={last ? "page" : undefined}
              title={name}
            >
              {name}
            </DropLink>
          </span>
        );
      })}
    </nav>
  );
}
