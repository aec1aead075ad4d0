// What users run and hold. Instances go on after the accounts are disabled, unless they are stopped then.
import { useQuery } from "@tanstack/react-query";
import { Alert, Button, Checkbox, Flex, Skeleton, Typography } from "antd";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { type Holdings, holdingsQuery, type User } from "./api";
import styles from "./Holdings.module.css";

/** More would push the buttons out of the window. */
const SHOWN = 6;

interface HoldingsListProps {
  users: readonly User[];
  /** Whether the instances are to be stopped. */
  stop: boolean;
  onStop: (stop: boolean) => void;
}

export function HoldingsList({ users, stop, onStop }: HoldingsListProps) {
  const { data, error, refetch } = useQuery(holdingsQuery(users.map((user) => user.id)));
  const retry = () => void refetch();
  if (!data && !error) {
    return <Skeleton active title={false} paragraph={{ rows: 2 }} aria-label="正在查看占用的资源" />;
  }
  return (
    <Flex vertical gap={8}>
      {!data && error && (
        <Alert
          type="warning"
          showIcon
          title={`正在运行的实例没有取到：${error.message}`}
          action={
            <Button type="text" onClick={retry}>
              重试
            </Button>
          }
        />
      )}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {data && <Running holdings={data} several={users.length > 1} stop={stop} />}
      {(!data || data.instances.length > 0) && (
        <>
          <Checkbox checked={stop} onChange={(event) => onStop(event.target.checked)}>
            {data ? "停止这些实例" : "停止正在运行的实例"}
          </Checkbox>
          {!stop && (
            <Alert
              type="warning"
              showIcon
              title="不停止的话，实例会继续运行、占用显卡，用 SSH 还能登录进去读写文件"
            />
          )}
        </>
      )}
    </Flex>
  );
}

interface RunningProps {
  holdings: Holdings;
  /** Of several people. */
  several: boolean;
  stop: boolean;
}

function Running({ holdings, several, stop }: RunningProps) {
  const { instances, gpus } = holdings;
  const away = [...new Set(instances.filter((one) => one.unreachable).map((one) => one.server))];
  const suspended = instances.filter((one) => one.suspended).length;
  const rest = restOf(holdings);
  return (
    <>
      {instances.length === 0 ? (
        <Typography.Text type="secondary">没有运行中的实例</Typography.Text>
      ) : (
        <>
          <b>
            {instances.length} 个运行中的实例{gpus > 0 && `，占 ${gpus} 张卡`}
          </b>
          <ul className={styles.list} aria-label="运行中的实例">
            {instances.slice(0, SHOWN).map((one) => (
              <li key={one.id}>
                {one.name}
                <Typography.Text type="secondary">
                  {" "}
                  {[several && one.username, one.server, one.gpus > 0 && `${one.gpus} 张卡`]
                    .filter(Boolean)
                    .join(" · ")}
                </Typography.Text>
              </li>
            ))}
            {instances.length > SHOWN && <li>等 {instances.length} 个</li>}
          </ul>
        </>
      )}
      {stop && away.length > 0 && (
        <Typography.Text type="secondary">
          {away.join("、")} 暂时连不上，恢复后会自动停止上面的实例
        </Typography.Text>
      )}
      {stop && suspended > 0 && (
        <Typography.Text type="secondary">
          其中 {suspended} 个因异常行为已暂停，停止后不能再查看里面的程序
        </Typography.Text>
      )}
      {rest && <Typography.Text type="secondary">{rest}</Typography.Text>}
    </>
  );
}

/** The sentence about sessions and terminals, which end by themselves, and image jobs, which do not. */
function restOf({ terminals, signIns, imageJobs }: Holdings): string {
  const ends = [signIns > 0 && `${signIns} 处登录`, terminals > 0 && `${terminals} 个打开的终端`].filter(
    Boolean,
  );
  const sentences = [
    ends.length > 0 && `${ends.join("、")}会断开`,
    imageJobs > 0 && `${imageJobs} 个镜像任务会继续做完`,
  ];
  return sentences.filter(Boolean).join("；");
}
