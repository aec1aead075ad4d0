// A text in Markdown. Until its parser is loaded, and if that fails, the text is shown unformatted.
import { lazy, Suspense } from "react";
import styles from "./markdown.module.css";

const Text = lazy(async () => {
  try {
    const { MarkdownText } = await import("./MarkdownText");
    return { default: MarkdownText };
  } catch {
    return { default: Plain };
  }
});

export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Plain text={text} />}>
      <Text text={text} />
    </Suspense>
  );
}

function Plain({ text }: { text: string }) {
  return <div className={styles.plain}>{text}</div>;
}
