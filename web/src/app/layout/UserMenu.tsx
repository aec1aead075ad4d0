// The signed-in user's menu: own pages, help, sign-out.
import { useQuery } from "@tanstack/react-query";
import { type MenuProps, Tooltip } from "antd";
import { Link, useNavigate } from "react-router";
import { publicSettingsQuery, useProductName } from "@/shared/api/public-settings";
import { safeLink } from "@/shared/lib/safe-link";
import { isAdmin, useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { DropMenu } from "@/shared/ui/DropMenu";
import { useReturnFocus } from "@/shared/ui/use-return-focus";
import { badgeOf, openWorksheetsQuery, worksheetLinks } from "@/shared/worksheets/api";
import { logOut } from "../session/session-events";
import styles from "./UserMenu.module.css";

type Item = NonNullable<MenuProps["items"]>[number];

const icon = (name: IconName) => <Icon name={name} />;

type Navigate = (to: string) => void;

/** The menu hands the keyboard's Enter to the item, never to the link in it. */
function linkItem(key: string, name: IconName, text: string, to: string, navigate: Navigate) {
  return {
    key,
    icon: icon(name),
    label: <Link to={to}>{text}</Link>,
    onClick: ({ domEvent }) => domEvent.type === "keydown" && navigate(to),
  } satisfies Item;
}

function worksheetItem(news: number, navigate: Navigate): Item {
  const item = linkItem("worksheet", "ticket", "工单系统", worksheetLinks.list, navigate);
  if (news === 0) return item;
  return { ...item, extra: <span className={styles.count}>{shownCount(news)}</span> };
}

function faqItem(address: string | undefined): Item {
  if (address) {
    return {
      key: "faq",
      icon: icon("external"),
      label: (
        <a href={address} target="_blank" rel="noreferrer">
          常见问题
        </a>
      ),
      onClick: ({ domEvent }) => domEvent.type === "keydown" && window.open(address, "_blank", "noreferrer"),
    };
  }
  return {
    key: "faq",
    icon: icon("external"),
    disabled: true,
    label: (
      <Tooltip title="管理员还没有设置常见问题的地址" placement="left">
        <span className={styles.reason}>常见问题</span>
      </Tooltip>
    ),
  };
}

const shownCount = (count: number) => (count > 99 ? "99+" : String(count));

export function UserMenu() {
  const session = useSession();
  const { name, username, avatar } = session;
  const admin = isAdmin(session);
  const news = badgeOf(useQuery(openWorksheetsQuery(admin)).data, admin);
  const productName = useProductName();
  const faq = safeLink(useQuery(publicSettingsQuery).data?.faqLink);
  const go = useNavigate();
  const navigate: Navigate = (to) => void go(to);
  const shown = name || username;
  const { trigger, onOpenChange } = useReturnFocus();

  const items: Item[] = [
    linkItem("detail", "user", "个人中心", "/profile/detail", navigate),
    linkItem("password", "key", "修改密码", "/profile/password", navigate),
    worksheetItem(news, navigate),
    { type: "divider" },
    linkItem("about", "info", productName, "/profile/about", navigate),
    faqItem(faq),
    { type: "divider" },
    { key: "logout", icon: icon("exit"), label: "退出登录", onClick: () => void logOut() },
  ];

  return (
    <DropMenu
      menu={{ items }}
      trigger={["click"]}
      placement="bottomRight"
      onOpenChange={onOpenChange}
      classNames={{ root: styles.menu }}
    >
      <button
        ref={trigger}
        type="button"
        className={styles.user}
        aria-haspopup="menu"
        aria-label={news > 0 ? `${shown}，账号菜单，${news} 个工单` : `${shown}，账号菜单`}
      >
        <span className={styles.avatar}>
          {avatar ? <img src={avatar} alt="" /> : Array.from(shown)[0]?.toUpperCase()}
        </span>
        {news > 0 && <span className={styles.dot}>{shownCount(news)}</span>}
        <span className={styles.name}>{shown}</span>
        <Icon name="down" size={12} />
      </button>
    </DropMenu>
  );
}
