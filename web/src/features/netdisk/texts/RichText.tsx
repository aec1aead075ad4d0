// Markdown of a file: with the pictures and links of the folder that it lies in, and with the colours of its code.
import { type ReactNode, useMemo } from "react";
import { Link } from "react-router";
import { HighlightedCode } from "@/shared/editor/HighlightedCode";
import { type Budget, makeBudget } from "@/shared/markdown/budget";
import text from "@/shared/markdown/markdown.module.css";
import { type MarkdownParts, render } from "@/shared/markdown/render";
import { isInlinePicture, safeHtml } from "@/shared/markdown/safe-html";
import { filesAddress } from "../disk-paths";
import { FolderPicture } from "./FolderPicture";
import styles from "./RichText.module.css";
import { frontOf, targetOf } from "./targets";

interface RichTextProps {
  text: string;
  /** The folder of the file; without it nothing beside it is shown. */
  folder?: string;
  /** A picture that the text has in itself, by its address. */
  picture?: (address: string) => string | undefined;
}

export function RichText({ text: source, folder, picture }: RichTextProps) {
  const content = useMemo(() => {
    const { front, rest } = frontOf(source);
    const budget = makeBudget(mostElements);
    return { front, words: wordsOf(rest, partsFor(folder, picture, budget), budget) };
  }, [source, folder, picture]);
  return (
    <div className={`${text.text} ${styles.text}`}>
      {content.front !== "" && <HighlightedCode code={content.front} language="yaml" />}
      {content.words}
    </div>
  );
}

/** Of the text and of all HTML in it. */
const mostElements = 100_000;

/** A text that overflows the parser's stack is shown as it is. */
function wordsOf(words: string, parts: MarkdownParts, budget: Budget): ReactNode {
  try {
    return render(words, parts, budget);
  } catch {
    return <HighlightedCode code={words} language="" />;
  }
}

/** The page and the file have the first two levels; what the text has is seen by the size. */
function Heading({ level, children }: { level: number; children: ReactNode }) {
  const Tag = (["h3", "h4", "h5", "h6"] as const)[level - 1] ?? "h6";
  return <Tag className={styles.heading}>{children}</Tag>;
}

function partsFor(
  folder: string | undefined,
  picture: RichTextProps["picture"],
  budget: Budget,
): MarkdownParts {
  const image = (address: string, words: string): ReactNode => {
    const own = isInlinePicture(address) ? address : picture?.(address);
    if (own) return <img src={own} alt={words} />;
    const path = folder === undefined ? null : targetOf(folder, address);
    return path && <FolderPicture path={path} words={words} />;
  };
  return {
    image,
    anchor: (address, words) => {
      const path = folder === undefined ? null : targetOf(folder, address);
      return path && <Link to={filesAddress(path)}>{words}</Link>;
    },
    heading: (level, words) => <Heading level={level}>{words}</Heading>,
    code: (code, language) => <HighlightedCode code={code} language={language} />,
    html: (html) => safeHtml(html, { image, budget }),
  };
}
