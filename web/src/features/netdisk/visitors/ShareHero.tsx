// The info box: type, size, age, the link's expiry; download, QR code.
import { useQuery } from "@tanstack/react-query";
import { Button, Space } from "antd";
import { type ReactNode, type RefObject, useState } from "react";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { fullTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import { DropMenu } from "@/shared/ui/DropMenu";
import { useReturnFocus } from "@/shared/ui/use-return-focus";
import { usePhone } from "@/shared/ui/usePhone";
import { type ArchiveFormat, archiveFormats, type Resource } from "../api";
import { shownName } from "../disk-paths";
import { kindOf } from "../kinds";
import { endText, lastingText } from "../shares/expiry";
import { ShareQr } from "../shares/ShareQr";
import { contentAddress, totalQuery } from "./api";
import styles from "./ShareHero.module.css";
import type { Spot } from "./spot";
import { useDownload } from "./useDownload";

interface ShareHeroProps {
  spot: Spot;
  pass: string | null;
  file: Resource;
  /** In seconds since 1970; 0 for never. */
  expire: number;
  /** How a folder is packed. */
  algo: ArchiveFormat;
  onAlgo: (algo: ArchiveFormat) => void;
  heading: RefObject<HTMLHeadingElement | null>;
  /** Above everything. */
  children: ReactNode;
}

export function ShareHero(props: ShareHeroProps) {
  const { spot, pass, file, expire, algo, onAlgo, heading, children } = props;
  const download = useDownload(spot, pass);
  const total = useQuery(totalQuery(spot, pass, file.isDir));
  const { label, icon } = kindOf(file);
  const packed = file.isDir ? { algo } : {};
  const verb = file.isDir ? "下载文件夹" : "下载文件";
  return (
    <section className={styles.hero} aria-label={verb}>
      {children && <div className={styles.above}>{children}</div>}
      <div className={styles.what}>
        <span className={styles.tile}>
          <Icon name={icon} size={28} />
        </span>
        <div className={styles.title}>
          <h1 ref={heading} tabIndex={-1}>
            {shownName(file.name)}
          </h1>
          <p>
            {label}
            {file.sharing && ` · ${file.sharing.by} 分享`}
          </p>
        </div>
      </div>
      <dl className={styles.facts}>
        {file.isDir ? (
          <>
            <dt>内容</dt>
            <dd>
              {formatCount(file.numDirs ?? 0)} 个文件夹，{formatCount(file.numFiles ?? 0)} 个文件
            </dd>
            <dt>总大小</dt>
            <dd>{totalText(total)}</dd>
          </>
        ) : (
          <>
            <dt>大小</dt>
            <dd>{formatSize(file.size)}</dd>
          </>
        )}
        <dt>修改时间</dt>
        <dd>{fullTime(file.modified)}</dd>
        <dt>有效期</dt>
        <dd title={endText(expire)} className={expire > 0 ? styles.ends : undefined}>
          {expire > 0 && <Icon name="clock" size={14} />}
          {lastingText(expire)}
        </dd>
      </dl>
      <div className={styles.actions}>
        <Space.Compact block>
          <Button
            type="primary"
            size="large"
            block
            icon={<Icon name="download" />}
            onClick={() => void download(spot.path, packed)}
          >
            {verb}
          </Button>
          {file.isDir && <FormatButton format={algo} onChoose={onAlgo} />}
        </Space.Compact>
        {!file.isDir && (
          <Button
            size="large"
            block
            icon={<Icon name="external" />}
            href={contentAddress(spot, spot.path, pass, { inline: true }).href}
            target="_blank"
            rel="noreferrer"
          >
            在浏览器中打开
          </Button>
        )}
        <QrPart address={contentAddress(spot, spot.path, pass, packed).href} />
      </div>
    </section>
  );
}

/** 12.63 GB，共 35 个文件, with all that is in inner folders. */
function totalText({ data, isPending }: { data: Resource["total"] | null | undefined; isPending: boolean }) {
  if (data) return `${formatSize(data.bytes)}，共 ${formatCount(data.files)} 个文件`;
  return isPending ? "正在统计…" : "内容较多，未统计";
}

interface FormatButtonProps {
  format: ArchiveFormat;
  onChoose: (format: ArchiveFormat) => void;
}

function FormatButton({ format, onChoose }: FormatButtonProps) {
  const { trigger, onOpenChange } = useReturnFocus();
  return (
    <DropMenu
      trigger={["click"]}
      placement="bottomRight"
      onOpenChange={onOpenChange}
      menu={{
        selectedKeys: [format],
        items: archiveFormats.map((name) => ({
          key: name,
          label: name,
          onClick: () => {
            trigger.current?.focus();
            onChoose(name);
          },
        })),
      }}
    >
      <Button
        ref={trigger}
        type="primary"
        size="large"
        className={styles.format ?? ""}
        aria-label={`打包格式 ${format}`}
        title="打包格式"
      >
        {format} <Icon name="down" size={12} />
      </Button>
    </DropMenu>
  );
}

/** A phone, which need not scan its own code, shows it on demand. */
function QrPart({ address }: { address: string }) {
  const phone = usePhone();
  const [wanted, setWanted] = useState(false);
  return (
    <>
      {phone && (
        <Button
          size="large"
          block
          icon={<Icon name="qrcode" />}
          aria-expanded={wanted}
          onClick={() => setWanted(!wanted)}
        >
          {wanted ? "收起二维码" : "显示二维码"}
        </Button>
      )}
      {(!phone || wanted) && (
        <div className={styles.qr}>
          <ShareQr address={address} label="下载链接的二维码" />
          <div>
            <div className={styles.scan}>手机扫码下载</div>
            <p>与下载按钮是同一链接，有效期相同。</p>
          </div>
        </div>
      )}
    </>
  );
}
