// One sentence about the error and the two ways to continue.
import { Button, Flex } from "antd";
import { useNavigate } from "react-router";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import styles from "./ErrorNotice.module.css";

interface ErrorNoticeProps {
  code: string;
  icon: IconName;
  title: string;
  note: string;
}

export function ErrorNotice({ code, icon, title, note }: ErrorNoticeProps) {
  const navigate = useNavigate();
  return (
    <div className={styles.notice}>
      <Icon name={icon} size={28} className={styles.icon} />
      <h1 className={styles.title}>{title}</h1>
      <p className={styles.note}>
        {note}（{code}）
      </p>
      <Flex gap={8}>
        <Button onClick={() => void navigate(-1)}>返回上一页</Button>
        <Button type="primary" onClick={() => void navigate("/dashboard")}>
          回到首页
        </Button>
      </Flex>
    </div>
  );
}
