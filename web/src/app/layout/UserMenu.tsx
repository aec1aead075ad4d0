// What belongs to the signed-in person: own pages, help, sign-out.
import { useQuery } from "@tanstack/react-query";
import { Dropdown, type MenuProps, Tooltip } from "antd";
import { Link } from "react-router";
import { publicSettingsQuery, useProductName } from "@/shared/api/public-settings";
import { safeLink } from "@/shared/lib/safe-link";
import { useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { allRoutes } from "../routing/registry";
import { logOut } from "../session/session-events";
import styles from "./UserMenu.module.css";

type Item = NonNullable<MenuProps["items"]>[number];

const icon = (name: IconName) => <Icon name={name} />;

const worksheets = "/profile/worksheet";

function worksheetItem(): Item {
  if (allRoutes.some((route) => route.path === worksheets)) {
    return { key: "worksheet", icon: icon("ticket"), label: <Link to={worksheets}>工单系统</Link> };
  }
  return {
    key: "worksheet",
    icon: icon("ticket"),
    disabled: true,
    label: (
      <Tooltip title="工单系统尚未开通" placement="left">
        <span className={styles.reason}>工单系统</span>
      </Tooltip>
    ),
  };
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

export function UserMenu() {
  const { name, username, avatar } = useSession();
  const productName = useProductName();
  const faq = safeLink(useQuery(publicSettingsQuery).data?.faqLink);
  const shown = name || username;

  const items: Item[] = [
    { key: "detail", icon: icon("user"), label: <Link to="/profile/detail">个人中心</Link> },
    { key: "password", icon: icon("key"), label: <Link to="/profile/password">修改密码</Link> },
    worksheetItem(),
    { type: "divider" },
    { key: "about", icon: icon("info"), label: <Link to="/profile/about">{productName}</Link> },
    faqItem(faq),
    { type: "divider" },
    { key: "logout", icon: icon("exit"), label: "退出登录", onClick: () => void logOut() },
  ];

  return (
    <Dropdown
      menu={{ items }}
      trigger={["click"]}
      placement="bottomRight"
      autoFocus
      classNames={{ root: styles.menu }}
    >
      <button type="button" className={styles.user} aria-haspopup="menu" aria-label={`${shown}，账号菜单`}>
        <span className={styles.avatar}>
          {avatar ? <img src={avatar} alt="" /> : Array.from(shown)[0]?.toUpperCase()}
        </span>
        <span className={styles.name}>{shown}</span>
        <Icon name="down" size={12} />
      </button>
    </Dropdown>
  );
}
