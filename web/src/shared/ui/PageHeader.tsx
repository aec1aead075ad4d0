// One grey line of counts, and actions at the right with the primary one last. The top bar already shows the title, so
// here it is for screen readers and the focus only, unless the page is about one thing.
import { ConfigProvider, Flex } from "antd";
import type { ReactNode } from "react";
import styles from "./PageHeader.module.css";
import { usePhone } from "./usePhone";

interface PageHeaderProps {
  title: string;
  /** The title is the name of the thing that the page is about, and stands beside its state. */
  named?: boolean;
  meta?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, named = false, meta, actions }: PageHeaderProps) {
  const phone = usePhone();
  return (
    <header className={meta || actions ? styles.header : `${styles.header} ${styles.bare}`}>
      <h1 className={named ? styles.title : `${styles.title} ${styles.silent}`}>{title}</h1>
      <span className={styles.meta}>{meta}</span>
      {actions && (
        <ConfigProvider componentSize={phone ? "medium" : undefined}>
          <Flex gap={8}>{actions}</Flex>
        </ConfigProvider>
      )}
    </header>
  );
}
