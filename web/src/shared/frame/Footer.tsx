// One line under every page: thanks and copyright, from the settings.
import { useQuery } from "@tanstack/react-query";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { safeLink } from "@/shared/lib/safe-link";
import styles from "./Footer.module.css";

export function Footer() {
  const settings = useQuery(publicSettingsQuery).data;
  if (!settings) return <footer className={styles.foot} />;
  const thanks = safeLink(settings.thanksLink);
  return (
    <footer className={styles.foot}>
      {settings.thanksText &&
        (thanks ? (
          <a href={thanks} target="_blank" rel="noreferrer">
            {settings.thanksText}
          </a>
        ) : (
          <span>{settings.thanksText}</span>
        ))}
      {settings.copyright && <span>{settings.copyright}</span>}
    </footer>
  );
}
