// What a row of the servers' lists unfolds to: who is on the machine, and how busy its cards were over a day.
import { Link } from "react-router";
import type { ServerView } from "@/shared/compute/api";
import { GpuCharts } from "@/shared/compute/GpuCharts";
import { links } from "@/shared/compute/links";
import { secondsBetween, spanText } from "@/shared/compute/text";
import { type Holding, holdingsOf } from "./holdings";
import styles from "./ServerMore.module.css";

const DAY = 24 * 60;

export function ServerMore({ server }: { server: ServerView }) {
  const holdings = holdingsOf(server.gpus);
  return (
    <div className={styles.more}>
      <section className={styles.part} aria-label={`${server.name} 的使用者`}>
        <h3>谁在用卡</h3>
        {holdings.length === 0 ? (
          <p className={styles.none}>没有人占用这台服务器的卡</p>
        ) : (
          <ul>
            {holdings.map((holding) => (
              <HoldingRow key={holding.instance} holding={holding} />
            ))}
          </ul>
        )}
        <Link to={links.server(server.id)}>查看 {server.name} 的全部信息</Link>
      </section>
      {server.gpus.length > 0 && (
        <section className={styles.part} aria-label={`${server.name} 24 小时利用率`}>
          <h3>24 小时利用率</h3>
          <GpuCharts gpus={server.gpus} minutes={DAY} brief />
        </section>
      )}
    </div>
  );
}

function HoldingRow({ holding: { username, mine, instance, cards, since } }: { holding: Holding }) {
  return (
    <li className={styles.holding}>
      <b>{mine ? "我" : username}</b>
      <span>卡 {cards.join("、")}</span>
      <small>
        {instance} · 已 {spanText(secondsBetween(since, new Date()))}
      </small>
    </li>
  );
}
