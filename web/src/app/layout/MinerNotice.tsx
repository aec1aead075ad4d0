// Mining is forbidden, and the consequences. Can be hidden for a week at a time.
import { useQuery } from "@tanstack/react-query";
import { App } from "antd";
import { useState } from "react";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { daysFromNow, readCookie, writeCookie } from "@/shared/lib/cookies";
import { readLocal } from "@/shared/lib/local-items";
import { splitNotice } from "@/shared/lib/notice";
import { Icon } from "@/shared/theme/Icon";
import styles from "./PageNotice.module.css";

const cookie = "miner_notice";
const days = 7;

export function MinerNotice() {
  const { message } = App.useApp();
  const [dismissed, setDismissed] = useState(() => readCookie(cookie) !== null);
  const settings = useQuery(publicSettingsQuery).data;
  const text = settings ? settings.minerNotice : readLocal("minerNotice");
  if (dismissed || !text) return null;
  const { head, body } = splitNotice(text);

  function dismiss() {
    writeCookie(cookie, "dismissed", { expires: daysFromNow(days) });
    setDismissed(true);
    message.info("7天内不再显示该提醒", 1);
  }

  return (
    <div className={styles.notice} role="note">
      <Icon name="alert" size={14} className={styles.icon} />
      <span className={styles.text} title={text}>
        <b>{head}。</b>
        {body}
      </span>
      <button type="button" className={styles.dismiss} aria-label="7天内不再显示该提醒" onClick={dismiss}>
        <span className={styles.words}>7天内不再显示</span>
        <Icon name="close" size={12} />
      </button>
    </div>
  );
}
