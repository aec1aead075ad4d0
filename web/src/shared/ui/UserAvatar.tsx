// A person as a grey disc with the first character of their name, or their picture.
import styles from "./UserAvatar.module.css";

interface UserAvatarProps {
  name: string;
  /** Address of a picture; empty means none. */
  picture?: string;
}

export function UserAvatar({ name, picture = "" }: UserAvatarProps) {
  return (
    <span className={styles.avatar} aria-hidden="true">
      {picture ? <img src={picture} alt="" /> : (Array.from(name.trim())[0] ?? "").toUpperCase()}
    </span>
  );
}
