// One link in the prompt: its expiry, and the actions on it.
import { Button } from "antd";
import { useState } from "react";
import { formatCount } from "@/shared/lib/numbers";
import { fullTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import { type ShareLink, shareAddress } from "./api";
import { endText, lastingText } from "./expiry";
import { useKnownPasswords } from "./known-passwords";
import { collectedText, messageOf, visitsText } from "./link-words";
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
  const password = useKnownPasswords(({ byHash }) => byHash[link.hash]);
  return (
    <li className={styles.link}>
      <div className={styles.head}>
        <div className={styles.lasting}>
          <div title={endText(link.expire)}>
            {link.collect && <b className={styles.kind}>收集文件</b>}
            {lasting}
          </div>
          <div className={styles.facts}>
            {owner && <span>{owner} 的链接</span>}
            {link.hasPassword && (
              <span>
                <Icon name="lock" size={12} /> 有密码
              </span>
            )}
            <span>{collectedText(link) ?? `下载 ${formatCount(link.downloads)} 次`}</span>
            <span title={link.lastVisit && fullTime(link.lastVisit)}>{visitsText(link)}</span>
          </div>
        </div>
        <div className={styles.actions}>
          {password !== undefined && (
            <Button
              type="link"
              size="small"
              aria-label={`复制链接和密码（${lasting}）`}
              onClick={() => void copy(messageOf(link, address, password), "链接和密码已复制到剪贴板")}
            >
              复制链接和密码
            </Button>
          )}
          <Button
            type="text"
            size="small"
            icon={<Icon name="copy" size={14} />}
            aria-label={`复制链接（${lasting}）`}
            title="复制链接"
            onClick={() => void copy(address)}
          >
            {password === undefined && "复制链接"}
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
