// Both API documents, readable: calls by subject, with a search. Served by this server, like everything on its pages.
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "antd";
import { useEffect } from "react";
import { Link, useLocation, useSearchParams } from "react-router";
import { useProductName } from "@/shared/api/public-settings";
import { SearchInput } from "@/shared/table/SearchInput";
import { Logo } from "@/shared/theme/Logo";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import styles from "./ApiDocsPage.module.css";
import { CallView } from "./CallView";
import { documents, matching, type Subject, subjectsQuery } from "./calls";

export default function ApiDocsPage() {
  const productName = useProductName();
  const { hash } = useLocation();
  const [address, setAddress] = useSearchParams();
  const search = address.get("q") ?? "";
  const { data, error, refetch } = useQuery(subjectsQuery);
  const shown = data && matching(data, search);
  const anchor = decodeURIComponent(hash.slice(1));
  const ready = data !== undefined;

  // The element that the URL's fragment names exists only now.
  useEffect(() => {
    if (ready && anchor) document.getElementById(anchor)?.scrollIntoView();
  }, [ready, anchor]);

  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <Link to="/" className={styles.product}>
          <Logo size={24} ground="page" />
          <b>{productName}</b>
        </Link>
        <SearchInput
          placeholder="搜索接口"
          value={search}
          width="min(320px, 50vw)"
          onSearch={(q) => setAddress(q ? { q } : {}, { replace: true })}
        />
      </header>
      <div className={styles.columns}>
        {shown && <Contents subjects={shown} />}
        <main className={styles.main}>
          <h1>接口文档</h1>
          <Introduction />
          {shown ? (
            <Calls subjects={shown} anchor={anchor} search={search} />
          ) : error ? (
            <ErrorPanel title="接口文档没有取到" error={error} onRetry={() => void refetch()} />
          ) : (
            <Skeleton active paragraph={{ rows: 10 }} />
          )}
        </main>
      </div>
    </div>
  );
}

function Introduction() {
  return (
    <div className={styles.introduction}>
      <p>
        脚本用访问令牌调用，在
        <Link to="/profile/detail">个人资料</Link>
        里新建，放在请求头里：<code>Authorization: Bearer yunlab_pat_…</code>
      </p>
      <p>
        平台接口出错时，应答（Problem）说明原因：<code>{"{ code, message, fields, request_id }"}</code>
        ，填错的字段逐个列在 fields 里。网盘接口用一行文字说明。
      </p>
      <p>
        OpenAPI 文档：
        {documents.map(({ name, title }) => (
          <a key={name} href={`/api/openapi/${name}.json`} target="_blank" rel="noreferrer">
            {title}
          </a>
        ))}
      </p>
    </div>
  );
}

function Contents({ subjects }: { subjects: readonly Subject[] }) {
  return (
    <nav className={styles.contents} aria-label="目录">
      {documents.map(({ name, title }) => {
        const own = subjects.filter(({ document }) => document === name);
        return (
          own.length > 0 && (
            <section key={name}>
              <h2>{title}</h2>
              <ul>
                {own.map((subject) => (
                  <li key={subject.key}>
                    <a href={`#${subject.key}`}>{subject.title}</a>
                  </li>
                ))}
              </ul>
            </section>
          )
        );
      })}
    </nav>
  );
}

interface CallsProps {
  subjects: readonly Subject[];
  anchor: string;
  search: string;
}

function Calls({ subjects, anchor, search }: CallsProps) {
  if (subjects.length === 0) {
    return <EmptyPanel icon="search" text={`没有与“${search}”有关的接口`} />;
  }
  return subjects.map((subject) => (
    <section key={subject.key} id={subject.key} className={styles.subject}>
      <h2>
        {subject.title}
        <small>{documents.find(({ name }) => name === subject.document)?.title}</small>
      </h2>
      <ul>
        {subject.calls.map((call) => (
          <CallView key={call.operationId} call={call} pointedAt={anchor === call.operationId} />
        ))}
      </ul>
    </section>
  ));
}
