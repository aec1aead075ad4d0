// Whether this browser trusts the lab's CA already: it does if it can open the portal over https.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { canReach } from "@/shared/api/can-reach";
import { StateText } from "@/shared/ui/StateText";
import styles from "./LabCaPage.module.css";

interface TrustStateProps {
  /** Where the portal is served with a certificate of this CA. */
  origins: readonly string[];
  /** Whether this page itself came over https. */
  secure: boolean;
}

export function TrustState({ origins, secure }: TrustStateProps) {
  return (
    <section className={styles.card} aria-label="这个浏览器" aria-live="polite">
      {secure ? <OverHttps /> : <OverHttp origins={origins} />}
    </section>
  );
}

function OverHttps() {
  return (
    <>
      <StateText tone="info" icon="info">
        这个页面已经是用 HTTPS 打开的
      </StateText>
      <p>地址栏没有“不安全”的提示，就是已经信任了，不用再装。有提示就按下面的步骤安装。</p>
    </>
  );
}

function OverHttp({ origins }: { origins: readonly string[] }) {
  const origin = origins.find((one) => new URL(one).hostname === location.hostname);
  const trust = useQuery({
    queryKey: ["lab-ca", "trusted", origin],
    queryFn: () => canReach(`${origin}/api/lab-ca`),
    enabled: origin !== undefined,
    retry: false,
    staleTime: 0,
  });
  if (origin === undefined) return <NoOrigin first={origins[0]} />;
  if (trust.data === undefined || trust.isFetching) {
    return (
      <StateText tone="info" icon="progress">
        正在检查这个浏览器是否信任
      </StateText>
    );
  }
  if (trust.data) {
    return (
      <>
        <StateText tone="success" icon="success">
          这个浏览器已经信任实验室的证书
        </StateText>
        <p>
          <Button type="primary" href={`${origin}/`}>
            用 HTTPS 打开
          </Button>
        </p>
      </>
    );
  }
  return (
    <>
      <StateText tone="warning" icon="alert">
        这个浏览器还不信任实验室的证书
      </StateText>
      <p>
        按下面的步骤安装，重新打开浏览器，再检查一次。装好了还是这样，可能是 HTTPS
        端口被防火墙挡住，请联系管理员。
      </p>
      <Button onClick={() => void trust.refetch()}>再检查一次</Button>
    </>
  );
}

function NoOrigin({ first }: { first: string | undefined }) {
  return (
    <>
      <StateText tone="info" icon="info">
        {first ? "证书里没有你现在用的地址" : "平台还没有用上这个 CA 的证书"}
      </StateText>
      <p>
        {first ? (
          <>
            安装之后请用 <a href={`${first}/`}>{first}</a> 打开平台。
          </>
        ) : (
          "可以先安装，之后由管理员打开 HTTPS。"
        )}
      </p>
    </>
  );
}
