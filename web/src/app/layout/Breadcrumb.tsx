// Section and page. On a phone only the page, as its visible title.
import { useCurrentPage } from "../routing/current-page";
import { sectionOf } from "../routing/sections";
import styles from "./Breadcrumb.module.css";

export function Breadcrumb() {
  const page = useCurrentPage();
  if (!page) return <div className={styles.crumbs} />;
  const section = sectionOf(page.route.path)?.title;
  return (
    <nav className={styles.crumbs} aria-label="当前位置">
      {section && (
        <>
          <span className={styles.section}>{section}</span>
          <span className={styles.slash} aria-hidden="true">
            /
          </span>
        </>
      )}
      <b className={styles.page} aria-current="page">
        {page.title}
      </b>
    </nav>
  );
}
