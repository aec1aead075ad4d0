// The public page of the lab's CA: whether this browser trusts it, its fingerprint, and how to install it.
import { useQuery } from "@tanstack/react-query";
import { Button, Skeleton } from "antd";
import { useProductName } from "@/shared/api/public-settings";
import { CopyText } from "@/shared/ui/CopyText";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { TimeText } from "@/shared/ui/TimeText";
import { labCaQuery, type PublicLabCa } from "./api";
import { InstallGuides } from "./InstallGuides";
import styles from "./LabCaPage.module.css";
import { TrustState } from "./TrustState";

export default function LabCaPage() {
  const productName = useProductName();
  const { data, error, refetch } = useQuery(labCaQuery);
  const missing = error && "code" in error && error.code === "not_found";
  return (
    <main className={styles.page}>
      <header className={styles.head}>
        <h1>安装实验室证书</h1>
        <p>
          {productName} 的 HTTPS 证书由实验室自己的 CA 签发。在这台设备上安装一次 CA，浏览器就不再提示不安全。
        </p>
      </header>
      {data ? (
        <Content ca={data} />
      ) : missing ? (
        <EmptyPanel icon="shield" text="这个实验室没有用自己的 CA" note="不需要安装证书，直接登录就可以。" />
      ) : error ? (
        <ErrorPanel title="证书的信息没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton active paragraph={{ rows: 6 }} />
      )}
      <footer>
        <Button type="link" href="/login">
          去登录
        </Button>
      </footer>
    </main>
  );
}

function Content({ ca }: { ca: PublicLabCa }) {
  const { name, fingerprint, notAfter, origins } = ca;
  return (
    <>
      <TrustState origins={origins} secure={location.protocol === "https:"} />
      <section className={styles.card} aria-label="核对指纹">
        <h2>先核对指纹</h2>
        <p>
          安装时系统会显示证书的 SHA-256 指纹，应当和管理员给的一致。名称是 <b>{name}</b>，有效期到{" "}
          <TimeText time={notAfter} full />
          。它只能给实验室的域名和内网地址签发证书。
        </p>
        <div className={styles.fingerprint}>
          <code>{fingerprint}</code>
          <CopyText text={fingerprint} label="复制指纹" />
        </div>
      </section>
      <InstallGuides />
    </>
  );
}
