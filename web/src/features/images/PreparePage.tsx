// 准备镜像: how a lab gets its first images, also where Docker Hub can't be reached.
import { Flex } from "antd";
import { LinkButton } from "@/shared/frame/LinkButton";
import { isAdmin, useSession } from "@/shared/stores/session";
import { Command } from "@/shared/ui/Command";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { usePhone } from "@/shared/ui/usePhone";
import styles from "./PreparePage.module.css";
import { ways } from "./prepare";

export default function PreparePage() {
  const phone = usePhone();
  const admin = useSession(isAdmin);
  return (
    <>
      <PageHeader title="准备镜像" meta="连不上 Docker Hub 也能准备好第一批镜像" />
      <Flex vertical gap={phone ? 12 : 16}>
        <Panel title="从哪一种开始" padded>
          <p className={styles.text}>
            实例从镜像创建。镜像放到服务器上之后，创建实例时选“服务器上”就能看到；放进实验室的仓库，所有服务器都能用。
            {!admin && "下面的命令要管理员在服务器上运行。"}
          </p>
          <Flex gap={8} wrap>
            <LinkButton to="/images/image_manage">镜像管理</LinkButton>
            {admin && <LinkButton to="/settings/basic_setting">设置公共镜像库</LinkButton>}
          </Flex>
        </Panel>
        {ways.map(({ title, when, steps }) => (
          <Panel key={title} title={title} padded>
            <p className={styles.when}>{when}</p>
            {steps.map(({ note, command }) => (
              <div key={note}>
                <p className={styles.text}>{note}</p>
                {command && <Command text={command} label={`复制命令：${note}`} />}
              </div>
            ))}
          </Panel>
        ))}
      </Flex>
    </>
  );
}
