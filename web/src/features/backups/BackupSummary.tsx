// The first thing for administrators to see: the age of the last good backups, and threats to them.
import type { UseQueryResult } from "@tanstack/react-query";
import { Alert, Skeleton } from "antd";
import type { ReactNode } from "react";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { minuteTime } from "@/shared/lib/time";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import type { Backup, BackupList, BackupSettings } from "./api";
import styles from "./Backups.module.css";
import { ageText, isTooOld } from "./words";

export function BackupSummary({ backups }: { backups: UseQueryResult<BackupList> }) {
  const { data, error, refetch } = backups;
  return (
    <Panel label="最近的备份">
      {data ? (
        <Summary list={data} />
      ) : error ? (
        <ErrorPanel title="备份情况没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <div className={styles.waiting}>
          <Skeleton active title={false} paragraph={{ rows: 3 }} />
        </div>
      )}
    </Panel>
  );
}

function Summary({ list: { settings, lastDatabase, lastFiles, now } }: { list: BackupList }) {
  return (
    <>
      {settings && <Warnings settings={settings} />}
      <div className={styles.lasts}>
        <Last title="数据库" backup={lastDatabase ?? null} now={now} none="还没有备份">
          {lastDatabase && databaseFacts(lastDatabase)}
        </Last>
        <Last title="网盘文件" backup={lastFiles ?? null} now={now} none="没有记录">
          {lastFiles ? lastFiles.note : "文件由脚本备份，成功后告诉平台"}
        </Last>
      </div>
      {settings && (
        <p className={styles.place}>
          位置 <code>{settings.folder}</code>
          {settings.encrypted ? "，已加密" : "，没有加密"}
        </p>
      )}
    </>
  );
}

const databaseFacts = ({ bytes, rows }: Backup) => `${formatSize(bytes)}，${formatCount(rows)} 行，已试恢复`;

function Warnings({ settings: { keep, besideData, encrypted } }: { settings: BackupSettings }) {
  return (
    <>
      {keep === 0 && (
        <Alert type="warning" banner title="自动备份已关闭，只有手动备份。在配置里设置 backup_keep 打开。" />
      )}
      {besideData && (
        <Alert
          type="warning"
          banner
          title="备份与数据在同一块盘上，盘坏了会一起丢失。请在配置里用 backup_dir 放到别的盘，或者另存一份。"
        />
      )}
      {!encrypted && (
        <Alert
          type="warning"
          banner
          title="备份没有加密：里面有平台的密钥、连接各台服务器的证书和签发它们的私钥，拿到文件的人能控制所有服务器。请用 yunlab admin make-backup-key 生成密钥，在配置里设置 backup_key_file。"
        />
      )}
    </>
  );
}

interface LastProps {
  title: string;
  backup: Backup | null;
  now: string;
  none: string;
  children: ReactNode;
}

function Last({ title, backup, now, none, children }: LastProps) {
  const finished = backup?.finished;
  const old = finished ? isTooOld(finished, now) : true;
  return (
    <section className={styles.last} aria-label={`${title}的备份`}>
      <div className={styles.key}>{title}</div>
      <div className={old ? `${styles.age} ${styles.old}` : styles.age}>
        {finished ? (
          <time dateTime={finished} title={minuteTime(finished)}>
            {ageText(finished, now)}
          </time>
        ) : (
          none
        )}
      </div>
      <div className={styles.facts}>
        {finished && `${minuteTime(finished)}${old ? "，超过 3 天" : ""}`}
        {finished && children && " · "}
        {children}
      </div>
      {backup?.present === false && <div className={styles.gone}>文件已不在备份目录里</div>}
    </section>
  );
}
