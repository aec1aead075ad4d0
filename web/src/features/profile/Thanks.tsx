import { Panel } from "@/shared/ui/Panel";
import styles from "./AboutPage.module.css";

/** The larger works that this product stands on; the whole list is below it. */
const works = [
  ["React", "https://react.dev"],
  ["Ant Design", "https://ant.design"],
  ["React Router", "https://reactrouter.com"],
  ["TanStack Query", "https://tanstack.com/query"],
  ["Zustand", "https://zustand.docs.pmnd.rs"],
  ["Day.js", "https://day.js.org"],
  ["Vite", "https://vite.dev"],
  ["Rust", "https://www.rust-lang.org"],
  ["Tokio", "https://tokio.rs"],
  ["axum", "https://github.com/tokio-rs/axum"],
  ["SQLite", "https://sqlite.org"],
  ["PostgreSQL", "https://www.postgresql.org"],
] as const;

export function Thanks() {
  return (
    <Panel title="致谢开源项目" padded>
      <ul className={styles.thanks}>
        {works.map(([name, address]) => (
          <li key={name}>
            <a href={address} target="_blank" rel="noreferrer">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
