// Title, one grey line of counts, actions at the right with the primary one last. On a phone the top bar already shows
// the title, so here it is for screen readers only.
import { ConfigProvider, Flex } from "antd";
import type { ReactNode } from "react";
import styles from "./PageHeader.module.css";
import { usePhone } from "./usePhone";

interface PageHeaderProps {
  title: string;
  meta?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, meta, actions }: PageHeaderProps) {
  const phone = usePhone();
  return (
    <header className={meta || actions ? styles.header : `${styles.header} ${styles.bare}`}>
      <h1 className={styles.title}>{title}</h1>
      <span className={styles.meta}>{meta}</span>
      {actions && (
        <ConfigProvider componentSize={phone ? "medium" : undefined}>
          <Flex gap={8}>{actions}</Flex>
        </ConfigProvider>
      )}
    </header>
  );
}
