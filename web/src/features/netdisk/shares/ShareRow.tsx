// One link in the prompt: its expiry, and the actions on it.
import { Button } from "antd";
import { useState } from "react";
import { formatCount } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import { type ShareLink, shareAddress } from "./api";
import { endText, lastingText } from "./expiry";
import { ShareAddress } from "./ShareAddress";
import styles from "./SharePrompt.module.css";
import { useCopyLink } from "./useCopyLink";

interface ShareRowProps {
  host: string;
  link: ShareLink;
  /** The owner, where it is another user. */
  owner: string | undefined;
  onDelete: () => void;
}

export function ShareRow({ host, link, owner, onDelete }: ShareRowProps) {
  const [open, setOpen] = useState(false);
  const copy = useCopyLink();
  const address = shareAddress(host, link.hash);
  const lasting = lastingText(link.expire);
  return (
    <li className={styles.link}>
      <div className={styles.head}>
        <div className={styles.lasting}>
          <div title={endText(link.expire)}>{lasting}</div>
          <div className={styles.facts}>
            {owner && <span>{owner} 的链接</span>}
            {link.hasPassword && (
              <span>
                <Icon name="lock" size={12} /> 有密码
              </span>
            )}
            <span>下载 {formatCount(link.downloads)} 次</span>
          </div>
        </div>
        <div className={styles.actions}>
          <Button
            type="text"
            size="small"
            icon={<Icon name="copy" size={14} />}
            aria-label={`复制链接（${lasting}）`}
            onClick={() => void copy(address)}
          >
            复制链接
          </Button>
          <Button
            type="text"
            size="small"
            icon={<Icon name="qrcode" size={14} />}
            aria-label={`二维码（${lasting}）`}
            title="二维码"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          />
          <Button
            type="text"
            size="small"
            danger
            icon={<Icon name="trash" size={14} />}
            aria-label={`删除链接（${lasting}）`}
            title="删除"
            onClick={onDelete}
          />
        </div>
      </div>
      {open && <ShareAddress address={address} />}
    </li>
  );
}
