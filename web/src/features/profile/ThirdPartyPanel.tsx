// The packages of others in the product, each with its licence and the text of it.
import { useQuery } from "@tanstack/react-query";
import { Button, Skeleton } from "antd";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { SearchInput } from "@/shared/table/SearchInput";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import styles from "./ThirdPartyPanel.module.css";
import { matchingPackages, type ThirdPartyPackage, thirdPartyQuery } from "./third-party";

/** Added at a time. */
const step = 50;

export function ThirdPartyPanel() {
  const [address, setAddress] = useSearchParams();
  const [limit, setLimit] = useState(step);
  const search = address.get("q") ?? "";
  const { data, error, refetch } = useQuery(thirdPartyQuery);

  function find(q: string) {
    setLimit(step);
    setAddress(q ? { q } : {}, { replace: true });
  }

  return (
    <Panel title="第三方软件许可" padded>
      {data ? (
        <>
          <div className={styles.head}>
            <span>共 {data.packages.length} 个软件包，点名称看许可证原文。</span>
            <SearchInput placeholder="搜索名称或许可证" value={search} onSearch={find} />
          </div>
          <Packages
            packages={matchingPackages(data.packages, search)}
            texts={data.texts}
            limit={limit}
            onMore={() => setLimit(limit + step)}
          />
        </>
      ) : error ? (
        <ErrorPanel title="第三方软件的清单没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton active title={false} paragraph={{ rows: 6 }} />
      )}
    </Panel>
  );
}

interface PackagesProps {
  packages: ThirdPartyPackage[];
  texts: string[];
  limit: number;
  onMore: () => void;
}

function Packages({ packages, texts, limit, onMore }: PackagesProps) {
  if (packages.length === 0) return <EmptyPanel icon="search" text="没有符合的软件包" />;
  return (
    <>
      <ul aria-label="第三方软件">
        {packages.slice(0, limit).map((one) => (
          <li key={`${one.source} ${one.name} ${one.version}`} className={styles.item}>
            <Package one={one} texts={texts} />
          </li>
        ))}
      </ul>
      {packages.length > limit && (
        <Button className={styles.more} onClick={onMore}>
          再显示 {Math.min(step, packages.length - limit)} 个
        </Button>
      )}
    </>
  );
}

function Package({ one, texts }: { one: ThirdPartyPackage; texts: string[] }) {
  const [open, setOpen] = useState(false);
  const { name, version, licence, link } = one;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.summary}>
        <b>{name}</b>
        <span className={styles.version}>{version}</span>
        <span className={styles.licence}>{licence}</span>
      </summary>
      {open && (
        <div className={styles.texts}>
          {link && (
            <a href={link} target="_blank" rel="noreferrer">
              {link}
            </a>
          )}
          {one.texts.map((place) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable for the keyboard (WCAG 2.1.1)
            <pre key={place} tabIndex={0}>
              {texts[place]}
            </pre>
          ))}
          {one.texts.length === 0 && <p>软件包没有附带许可证原文，以它的主页为准。</p>}
        </div>
      )}
    </details>
  );
}
