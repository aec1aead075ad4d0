// Markdown of a file: with the pictures and links of the folder that it lies in, and with the colours of its code.
import { type ReactNode, useMemo } from "react";
import { Link } from "react-router";
import { HighlightedCode } from "@/shared/editor/HighlightedCode";
import text from "@/shared/markdown/markdown.module.css";
import { type MarkdownParts, render } from "@/shared/markdown/render";
import { safeHtml } from "@/shared/markdown/safe-html";
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
    return { front, words: wordsOf(rest, partsFor(folder, picture)) };
  }, [source, folder, picture]);
  return (
    <div className={`${text.text} ${styles.text}`}>
      {content.front !== "" && <HighlightedCode code={content.front} language="yaml" />}
      {content.words}
    </div>
  );
}

/** Quotes in quotes that no writer makes: the parser would take too long for them. */
const tooDeep = /^(?:[ \t]*>){40}/m;

/** A text that the parser can't take is shown as it is. */
function wordsOf(words: string, parts: MarkdownParts): ReactNode {
  if (tooDeep.test(words)) return <HighlightedCode code={words} language="" />;
  try {
    return render(words, parts);
  } catch {
    return <HighlightedCode code={words} language="" />;
  }
}

/** The page and the file have the first two levels; what the text has is seen by the size. */
function Heading({ level, children }: { level: number; children: ReactNode }) {
  const Tag = (["h3", "h4", "h5", "h6"] as const)[level - 1] ?? "h6";
  return <Tag className={styles.heading}>{children}</Tag>;
}

function partsFor(folder: string | undefined, picture: RichTextProps["picture"]): MarkdownParts {
  const image = (address: string, words: string): ReactNode => {
    const own = picture?.(address);
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
    html: (html) => safeHtml(html, { image }),
  };
}
