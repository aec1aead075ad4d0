// About the product: version, updates, links, thanks, and third-party licences.
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "antd";
import { publicSettingsQuery, useProductName } from "@/shared/api/public-settings";
import { updateInfoQuery } from "@/shared/api/update-info";
import { isAdmin, useSession } from "@/shared/stores/session";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import styles from "./AboutPage.module.css";
import { AboutProduct } from "./AboutProduct";
import { Thanks } from "./Thanks";
import { ThirdPartyPanel } from "./ThirdPartyPanel";
import { UpdatePanel } from "./UpdatePanel";

export default function AboutPage() {
  const productName = useProductName();
  const settings = useQuery(publicSettingsQuery);
  const update = useQuery(updateInfoQuery);
  const admin = useSession(isAdmin);
  return (
    <>
      <PageHeader title={`关于 ${productName}`} />
      <div className={styles.stack}>
        <Panel padded label="版本">
          {settings.data ? (
            <AboutProduct productName={productName} settings={settings.data} update={update} />
          ) : settings.error ? (
            <ErrorPanel
              title="版本信息没有取到"
              error={settings.error}
              onRetry={() => void settings.refetch()}
            />
          ) : (
            <Skeleton paragraph={{ rows: 3 }} />
          )}
        </Panel>
        {admin && update.data && <UpdatePanel update={update.data} />}
        <Thanks />
        <ThirdPartyPanel />
      </div>
    </>
  );
}
