// A text in Markdown, as elements; the parser is loaded with the first use.
import { useMemo } from "react";
import styles from "./markdown.module.css";
import { render } from "./render";

export function MarkdownText({ text }: { text: string }) {
  const content = useMemo(() => render(text), [text]);
  return <div className={styles.text}>{content}</div>;
}
