// Passwords for programs that mount or sync the disk by WebDAV.
import { useQuery } from "@tanstack/react-query";
import { Tag } from "antd";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { CopyText } from "@/shared/ui/CopyText";
import { AppPasswordDrawer } from "./AppPasswordDrawer";
import { type AppPassword, appPasswordsQuery, useDeleteAppPassword } from "./api";
import { SecretPanel } from "./SecretPanel";
import { SecretShown } from "./SecretShown";
import { useNewSecret } from "./useNewSecret";

export function AppPasswords() {
  const { drawer, onNew, shown } = useNewSecret("app-password");
  const host = useQuery(publicSettingsQuery).data?.storageHost;
  const address = host && new URL(`${host}/dav/`, location.origin).href;
  return (
    <>
      <SecretPanel<AppPassword>
        kind="应用密码"
        note={
          <>
            文件管理器、rclone 等程序用它通过 WebDAV 访问网盘，用户名不变，登录密码在那里不能用。
            {address && (
              <>
                地址：<code>{address}</code>
                <CopyText text={address} label="复制 WebDAV 地址" />
              </>
            )}
          </>
        }
        query={useQuery(appPasswordsQuery)}
        verb="删除"
        remove={useDeleteAppPassword()}
        loss="使用它的程序立即不能再访问，不能恢复。文件和实例不受影响。"
        tags={({ kind, folder }) => {
          const text = kind === "ssh" ? "SSH" : folder;
          return text && <Tag variant="filled">{text}</Tag>;
        }}
        onNew={onNew}
      />
      <AppPasswordDrawer {...drawer} />
      <SecretShown {...shown} />
    </>
  );
}
