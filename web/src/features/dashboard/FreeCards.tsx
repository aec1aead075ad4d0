// 空闲卡: servers where the user could start right now.
import { freeOf } from "@/shared/compute/gpu-look";
import { LinkButton } from "@/shared/frame/LinkButton";
import { worksheetLinks } from "@/shared/worksheets/api";
import { CreateOn } from "./ServerRows";
import { ServersPanel } from "./ServersPanel";

export function FreeCards() {
  return (
    <ServersPanel
      title="空闲卡"
      none="还没有分配给你的服务器"
      noneAction={<LinkButton to={worksheetLinks.ask("cards")}>申请显卡</LinkButton>}
      sum={(servers) => {
        const cards = servers.reduce((sum, { gpus }) => sum + gpus.length, 0);
        const free = servers.reduce((sum, server) => sum + freeOf(server).length, 0);
        return `${cards} 张中 ${free} 张空闲`;
      }}
      // A stable order while the numbers change: a row that moves is missed by the mouse.
      order={(a, b) => a.name.localeCompare(b.name, "zh-CN", { numeric: true })}
      action={(server) => <CreateOn server={server} />}
    />
  );
}
