// The URL of a link: to be scanned, or selected and copied by hand.
import styles from "./ShareAddress.module.css";
import { ShareQr } from "./ShareQr";

export function ShareAddress({ address }: { address: string }) {
  return (
    <div className={styles.both}>
      <ShareQr address={address} label="分享链接的二维码" />
      <span className={styles.address}>{address}</span>
    </div>
  );
}
