// Code to be read, with the colours of its language, which is loaded on its own; until then, and for an unknown
// language, without.
import { LanguageDescription } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import type { Parser } from "@lezer/common";
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import styles from "./HighlightedCode.module.css";

const colors = tagHighlighter([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], class: styles.keyword ?? "" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], class: styles.string ?? "" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: styles.number ?? "" },
  { tag: [tags.comment, tags.meta], class: styles.comment ?? "" },
  { tag: [tags.typeName, tags.className, tags.tagName, tags.propertyName], class: styles.type ?? "" },
]);

/** A longer one is shown without colours. */
const longest = 100_000;

function find(language: string) {
  return language === "" ? null : LanguageDescription.matchLanguageName(languages, language, true);
}

function useParser(language: string): Parser | null {
  const [loaded, setLoaded] = useState<{ language: string; parser: Parser } | null>(null);
  useEffect(() => {
    let gone = false;
    find(language)
      ?.load()
      .then(
        (support) => {
          if (!gone) setLoaded({ language, parser: support.language.parser });
        },
        // Without its colours the code is all there still.
        () => {},
      );
    return () => {
      gone = true;
    };
  }, [language]);
  return loaded?.language === language ? loaded.parser : null;
}

function colored(code: string, parser: Parser): ReactNode[] {
  const parts: ReactNode[] = [];
  const put = (text: string, classes: string) =>
    parts.push(
      classes ? (
        <span key={parts.length} className={classes}>
          {text}
        </span>
      ) : (
        text
      ),
    );
  highlightCode(code, parser.parse(code), colors, put, () => parts.push("\n"));
  return parts;
}

export function HighlightedCode({ code, language }: { code: string; language: string }) {
  const parser = useParser(code.length > longest ? "" : language);
  const content = useMemo(() => (parser ? colored(code, parser) : code), [code, parser]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <pre className={styles.code} tabIndex={0} data-scrolls>
      <code>{content}</code>
    </pre>
  );
}
