// The lab in five figures, each a link with its filter.
import { useQuery } from "@tanstack/react-query";
import { allServersQuery } from "@/shared/compute/api";
import { countsOf } from "@/shared/compute/counts";
import { links } from "@/shared/compute/links";
import { spanText } from "@/shared/compute/text";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { useNow } from "@/shared/lib/use-now";
import styles from "@/shared/ui/Figures.module.css";
import { Panel } from "@/shared/ui/Panel";
import { openWorksheetsQuery, worksheetLinks } from "@/shared/worksheets/api";
import { brokenInstancesQuery, oldestWorksheetQuery } from "./api";
import type { UsageState } from "./DiskQuota";
import { Figure, type FigureNote } from "./Figure";

const MINUTE = 60_000;
const failed: readonly FigureNote[] = [{ text: "加载失败" }];

/** Only what there is any of. */
const said = (notes: readonly (FigureNote & { count: number })[]): FigureNote[] =>
  notes.flatMap(({ count, text, ...rest }) => (count > 0 ? [{ ...rest, text: `${text} ${count}` }] : []));

export function AdminStrip({ usage }: { usage: UsageState }) {
  return (
    <Panel label="实验室概况">
      <div className={`${styles.strip} ${styles.five}`}>
        <ComputeFigures />
        <OrderFigure />
        <StorageFigure usage={usage} />
      </div>
    </Panel>
  );
}

function ComputeFigures() {
  const servers = useQuery(allServersQuery);
  const broken = useQuery(brokenInstancesQuery);
  const items = servers.data?.items;
  const counts = items && countsOf(items);
  const running = items?.reduce((sum, { runningInstances }) => sum + runningInstances, 0);
  // The panel of servers below shows the reason.
  const unknown = servers.error ? failed : [];
  return (
    <>
      <Figure
        to={links.servers}
        icon="gpu"
        label="GPU 卡在用"
        value={counts && formatCount(counts.used)}
        unit={counts ? `/ ${formatCount(counts.gpus)} 张` : ""}
        notes={
          counts
            ? said([
                { count: counts.free, text: "空闲", to: `${links.servers}?free=true` },
                { count: counts.faulty, text: "故障", alarm: true },
                { count: counts.gpus - counts.used - counts.free - counts.faulty, text: "不可用" },
              ])
            : unknown
        }
      />
      <Figure
        to={`${links.manage}?state=online`}
        icon="server"
        label="服务器在线"
        value={counts && formatCount(counts.by.online + counts.by.maintenance)}
        unit={items ? `/ ${formatCount(items.length)} 台` : ""}
        notes={
          counts
            ? said([
                {
                  count: counts.by.unreachable,
                  text: "失联",
                  to: `${links.manage}?state=unreachable`,
                  alarm: true,
                },
                { count: counts.by.maintenance, text: "维护", to: `${links.manage}?state=maintenance` },
                { count: counts.by.disabled, text: "已停用", to: `${links.manage}?state=disabled` },
              ])
            : unknown
        }
      />
      <Figure
        to={`${links.instances}?state=running`}
        icon="running"
        label="运行实例"
        value={running === undefined ? undefined : formatCount(running)}
        unit="个"
        notes={
          broken.error
            ? failed
            : said([
                {
                  count: broken.data?.total ?? 0,
                  text: "异常",
                  to: `${links.instances}?state=error`,
                  alarm: true,
                },
              ])
        }
      />
    </>
  );
}

function OrderFigure() {
  const orders = useQuery(openWorksheetsQuery(true));
  const oldest = useQuery(oldestWorksheetQuery).data?.Worksheets[0];
  const now = useNow(MINUTE);
  const waited = oldest ? (now.getTime() - Date.parse(oldest.Created)) / 1000 : 0;
  return (
    <Figure
      to={`${worksheetLinks.list}?state=open`}
      icon="ticket"
      label="待办工单"
      value={orders.data && formatCount(orders.data.total)}
      unit="个"
      notes={
        oldest
          ? [{ text: `最早一个已等 ${spanText(waited)}`, to: worksheetLinks.one(oldest.id) }]
          : orders.error
            ? failed
            : []
      }
    />
  );
}

function StorageFigure({ usage: { data, fault } }: { usage: UsageState }) {
  const [value = "", unit = ""] = data ? formatSize(data.used).split(" ") : [];
  const notes = [
    ...(fault ? [{ text: `用量未知：${fault}` }] : []),
    ...(data && data.datasets > 0 ? [{ text: `数据集 ${formatSize(data.datasets)}` }] : []),
  ];
  return (
    <Figure
      to="/netdisk/files/"
      icon="folder"
      label="网盘存储"
      value={data && value}
      unit={data ? `${unit} / ${formatSize(data.total)}` : ""}
      bar={data && { used: data.used, limit: data.total }}
      notes={notes}
    />
  );
}
