// The devices that a user is signed in on, each with a button that signs it out.
import type { UseQueryResult } from "@tanstack/react-query";
import { App, Button, Skeleton, Tag } from "antd";
import { useState } from "react";
import { browserName } from "@/shared/lib/browser-name";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { FactRow } from "@/shared/ui/FactRow";
import { TimeText } from "@/shared/ui/TimeText";
import { type SignIn, useEndSignIn } from "./api";
import styles from "./SignInList.module.css";

interface SignInListProps {
  /** Null for the user's own. */
  user: number | null;
  query: UseQueryResult<{ items: SignIn[] }>;
}

export function SignInList({ user, query }: SignInListProps) {
  const { message } = App.useApp();
  const [leaving, setLeaving] = useState<SignIn | null>(null);
  const [asking, setAsking] = useState(false);
  const end = useEndSignIn(user);
  if (!query.data) {
    return query.error ? (
      <ErrorPanel title="登录设备没有取到" error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <Skeleton active title={false} paragraph={{ rows: 2 }} />
    );
  }
  if (query.data.items.length === 0) return <EmptyPanel icon="users" text="没有在任何设备上登录" />;

  function confirm() {
    if (!leaving) return;
    end.mutate(leaving.id, {
      onSuccess: () => message.success(`已退出 ${browserName(leaving.userAgent)}`, 1.5),
      onError: (error) => message.error(error.message, 2),
      onSettled: () => setAsking(false),
    });
  }

  return (
    <>
      <ul aria-label="登录设备" className={styles.list}>
        {query.data.items.map((one) => (
          <FactRow
            key={one.id}
            name={browserName(one.userAgent)}
            title={one.userAgent}
            tags={
              one.current && (
                <Tag variant="filled" color="success">
                  本机
                </Tag>
              )
            }
            facts={[addresses(one), signedIn(one), used(one)]}
            action={
              !one.current && (
                <Button
                  type="text"
                  danger
                  aria-label={`退出 ${browserName(one.userAgent)}（${one.lastAddress}）`}
                  onClick={() => {
                    setLeaving(one);
                    setAsking(true);
                  }}
                >
                  退出
                </Button>
              )
            }
          />
        ))}
      </ul>
      <ConfirmDanger
        open={asking}
        title={`退出 ${leaving ? browserName(leaving.userAgent) : ""}？`}
        verb="退出"
        submitting={end.isPending}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        这台设备立即退出登录，打开的终端会断开，正在上传的文件会停下。
      </ConfirmDanger>
    </>
  );
}

function addresses({ address, lastAddress }: SignIn): string {
  return address === lastAddress ? address : `${address}，最近 ${lastAddress}`;
}

const signedIn = ({ created }: SignIn) => (
  <>
    登录于 <TimeText time={created} />
  </>
);

const used = ({ lastUsed }: SignIn) => (
  <>
    最近使用 <TimeText time={lastUsed} />
  </>
);
