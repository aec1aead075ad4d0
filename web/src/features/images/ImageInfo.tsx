// An image in detail: its layers by size, its history, and an instance's initial settings.
import { Button } from "antd";
import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import { formatSize } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import { CopyText } from "@/shared/ui/CopyText";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import type { Described } from "./api";
import { ImageHistory } from "./ImageHistory";
import styles from "./ImageInfo.module.css";
import { ImageLayers } from "./ImageLayers";
import { createLink } from "./links";

interface ImageInfoProps {
  name: string;
  description: string;
  digest: string;
  described: Described;
  /** Label and value, before the rows that every image has. */
  facts: readonly (readonly [string, string])[];
  children?: ReactNode;
}

export function ImageInfo({ name, description, digest, described, facts, children }: ImageInfoProps) {
  const navigate = useNavigate();
  const { size, created, os, architecture, layers, history, env, exposedPorts } = described;
  const command = [...described.entrypoint, ...described.cmd].join(" ");
  return (
    <>
      <PageHeader
        named
        title={name}
        meta={description}
        actions={
          <>
            <CopyText text={name} label="复制镜像名称" />
            <Button
              type="primary"
              icon={<Icon name="plus" size={14} />}
              onClick={() => navigate(createLink(name))}
            >
              创建实例
            </Button>
          </>
        }
      />
      <div className={styles.columns}>
        <div className={styles.column}>
          <Panel title="基本信息" padded>
            <dl className={styles.facts}>
              <Fact label="名称">{name}</Fact>
              {facts.map(([label, value]) => (
                <Fact key={label} label={label}>
                  {value}
                </Fact>
              ))}
              <Fact label="大小">{formatSize(size)}</Fact>
              <Fact label="创建时间">
                <TimeText time={created} full none="没有记录" />
              </Fact>
              <Fact label="平台">{[os, architecture].filter(Boolean).join("/") || "—"}</Fact>
              <Fact label="摘要">
                <code>{digest}</code>
              </Fact>
              <Fact label="启动命令">
                <code>{command || "—"}</code>
              </Fact>
              <Fact label="工作目录">
                <code>{described.workingDir || "/"}</code>
              </Fact>
              <Fact label="用户">
                <code>{described.user || "root"}</code>
              </Fact>
              <Fact label="端口">{exposedPorts.join("、") || "没有声明"}</Fact>
            </dl>
          </Panel>
          {children}
          <Panel title={`环境变量（${env.length}）`} padded>
            {env.length === 0 ? (
              <span className={styles.none}>没有</span>
            ) : (
              <ul className={styles.env}>
                {env.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            )}
          </Panel>
        </div>
        <div className={styles.column}>
          <Panel title={`层（${layers.length}）`} padded>
            <ImageLayers layers={layers} />
          </Panel>
          <Panel title="构建历史" padded>
            <ImageHistory history={history} />
          </Panel>
        </div>
      </div>
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}
