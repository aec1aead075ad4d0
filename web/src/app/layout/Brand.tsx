// Logo, product name and version at the top of the menu. The version leads to the about page.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { publicSettingsQuery, useProductName } from "@/shared/api/public-settings";
import { updateInfoQuery } from "@/shared/api/update-info";
import { isNewer } from "@/shared/lib/version";
import { useUi } from "@/shared/stores/ui";
import { Logo } from "@/shared/theme/Logo";
import styles from "./Brand.module.css";

export function Brand({ collapsed }: { collapsed: boolean }) {
  const name = useProductName();
  const version = useQuery(publicSettingsQuery).data?.version;
  const update = useQuery(updateInfoQuery).data;
  const logo = useUi((ui) => ui.sidebarLogo);
  const newer = isNewer(update?.latestversion, update?.version);
  if (collapsed) {
    return (
      <Link to="/dashboard" className={styles.brand} aria-label={name} title={name}>
        <Logo size={24} />
      </Link>
    );
  }
  return (
    <div className={styles.brand}>
      {logo && <Logo />}
      <div className={styles.words}>
        <Link to="/dashboard" className={styles.name} title={name}>
          {name}
        </Link>
        {version && (
          <Link to="/profile/about" className={styles.version} title={`关于 ${name}`}>
            {version}
            {newer && <span className={styles.newer}>新版本</span>}
          </Link>
        )}
      </div>
    </div>
  );
}
