// The dark side of the login page: the portal's name, the rules of use and thanks.
import type { PublicSettings } from "@/shared/api/public-settings";
import { splitNotice } from "@/shared/lib/notice";
import { safeLink } from "@/shared/lib/safe-link";
import { Icon } from "@/shared/theme/Icon";
import { Logo } from "@/shared/theme/Logo";
import styles from "./LoginAside.module.css";

interface LoginAsideProps {
  productName: string;
  settings: PublicSettings | undefined;
}

export function LoginAside({ productName, settings }: LoginAsideProps) {
  const notice = settings?.minerNotice ? splitNotice(settings.minerNotice) : null;
  return (
    <div className={styles.aside}>
      <header className={styles.brand}>
        <Logo size={32} />
        <div>
          <b>{productName}</b>
          <small>GPU 计算与网盘</small>
        </div>
      </header>
      <section className={styles.notice} aria-label="使用须知">
        {notice && (
          <>
            <h2>使用须知</h2>
            <div className={styles.rule}>
              <Icon name="alert" />
              <div>
                <b>{notice.head}</b>
                {notice.body}
              </div>
            </div>
          </>
        )}
      </section>
      <footer className={styles.foot}>{settings && <FootLinks settings={settings} />}</footer>
    </div>
  );
}

function FootLinks({ settings }: { settings: PublicSettings }) {
  return (
    <>
      <FootLink address={settings.faqLink} text="常见问题" />
      {settings.thanksText && <FootLink address={settings.thanksLink} text={settings.thanksText} always />}
      {settings.copyright && <span>{settings.copyright}</span>}
    </>
  );
}

/** Without a URL the text is still shown if `always`, otherwise nothing. */
function FootLink({ address, text, always = false }: { address: string; text: string; always?: boolean }) {
  const href = safeLink(address);
  if (!href) return always ? <span>{text}</span> : null;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}
