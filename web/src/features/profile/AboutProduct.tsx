import type { UseQueryResult } from "@tanstack/react-query";
import { Alert } from "antd";
import type { PublicSettings } from "@/shared/api/public-settings";
import type { UpdateInfo } from "@/shared/api/update-info";
import { safeLink } from "@/shared/lib/safe-link";
import { isNewer } from "@/shared/lib/version";
import { Icon } from "@/shared/theme/Icon";
import { Logo } from "@/shared/theme/Logo";
import styles from "./AboutPage.module.css";
import facts from "./facts.module.css";

interface AboutProductProps {
  productName: string;
  settings: PublicSettings;
  update: Pick<UseQueryResult<UpdateInfo>, "data" | "error">;
}

export function AboutProduct({ productName, settings, update }: AboutProductProps) {
  const links = [
    { text: "常见问题", href: safeLink(settings.faqLink) },
    { text: settings.thanksText, href: safeLink(settings.thanksLink) },
  ].filter((link) => link.text && link.href);
  return (
    <>
      <div className={styles.product}>
        <span className={styles.mark}>
          <Logo size={30} />
        </span>
        <div>
          <div className={styles.name}>{productName}</div>
          <div className={styles.note}>GPU 计算与网盘</div>
        </div>
      </div>
      <dl className={facts.facts}>
        <dt>版本</dt>
        <dd>{update.data?.version ?? settings.version}</dd>
        <dt>最新版本</dt>
        <dd>
          {update.data?.latestversion ?? (update.error ? `没有查到：${update.error.message}` : "正在查询")}
        </dd>
        {links.length > 0 && (
          <>
            <dt>链接</dt>
            <dd className={styles.links}>
              {links.map(({ text, href }) => (
                <a key={href} href={href} target="_blank" rel="noreferrer">
                  {text}
                </a>
              ))}
            </dd>
          </>
        )}
        {settings.copyright && (
          <>
            <dt>版权</dt>
            <dd>{settings.copyright}</dd>
          </>
        )}
      </dl>
      {isNewer(update.data?.latestversion, update.data?.version) && (
        <Alert
          type="info"
          showIcon
          icon={<Icon name="info" />}
          style={{ marginTop: 16 }}
          title={
            <span className={styles.notes}>
              {["有新版本", update.data?.latestversion].join(" ")}
              {update.data?.notes && `\n${update.data.notes}`}
            </span>
          }
        />
      )}
    </>
  );
}
