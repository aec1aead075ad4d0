// Tokens for scripts: each with some of the user's permissions, and for a limited time.
import { useQuery } from "@tanstack/react-query";
import { Tag } from "antd";
import { scopeLabel } from "@/shared/lib/scopes";
import { AccessTokenDrawer } from "./AccessTokenDrawer";
import { type AccessToken, accessTokensQuery, useDeleteAccessToken } from "./api";
import { SecretPanel } from "./SecretPanel";
import { SecretShown } from "./SecretShown";
import { useNewSecret } from "./useNewSecret";

export function AccessTokens() {
  const { drawer, onNew, shown } = useNewSecret("access-token");
  return (
    <>
      <SecretPanel<AccessToken>
        kind="访问令牌"
        note={
          <>
            脚本和程序用它代替密码调用接口，见
            <a href="/api/docs" target="_blank" rel="noreferrer">
              接口文档
            </a>
            。修改密码后，所有令牌立即失效。
          </>
        }
        query={useQuery(accessTokensQuery)}
        verb="撤销"
        remove={useDeleteAccessToken()}
        loss="使用它的脚本立即不能再访问，不能恢复。已经做完的事不受影响。"
        tags={({ scopes }) =>
          scopes.map((scope) => (
            <Tag key={scope} variant="filled">
              {scopeLabel(scope)}
            </Tag>
          ))
        }
        onNew={onNew}
      />
      <AccessTokenDrawer {...drawer} />
      <SecretShown {...shown} />
    </>
  );
}
