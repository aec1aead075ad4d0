// The editor itself, set up: CodeMirror with our colours, Chinese words, and the language of the file's name, which is
// fetched on its own. Loaded on demand.
import { indentWithTab } from "@codemirror/commands";
import { HighlightStyle, LanguageDescription, syntaxHighlighting } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";

const colors = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--c-primary-text)" },
    { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--c-ok)" },
    { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--c-warn)" },
    { tag: [tags.comment, tags.meta], color: "var(--c-text3)" },
    { tag: [tags.typeName, tags.className, tags.tagName, tags.propertyName], color: "var(--c-info)" },
    { tag: tags.heading, fontWeight: "600" },
    { tag: tags.emphasis, fontStyle: "italic" },
    { tag: tags.strong, fontWeight: "600" },
    { tag: tags.link, textDecoration: "underline" },
    { tag: tags.invalid, color: "var(--c-err)" },
  ]),
);

const looks = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", color: "var(--c-text)", backgroundColor: "var(--c-card)" },
  ".cm-scroller": { fontFamily: "var(--f-mono)", lineHeight: "20px" },
  ".cm-content": { caretColor: "var(--c-text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-cursor": { borderLeftColor: "var(--c-text)" },
  ".cm-gutters": {
    color: "var(--c-text3)",
    backgroundColor: "var(--c-sunken)",
    borderRight: "1px solid var(--c-split)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--c-hover)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--c-primary-border)",
  },
  ".cm-panels": { color: "var(--c-text)", backgroundColor: "var(--c-sunken)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--c-split)" },
  ".cm-textfield": {
    color: "var(--c-text)",
    backgroundColor: "var(--c-card)",
    border: "1px solid var(--c-border)",
  },
  ".cm-button": {
    color: "var(--c-text)",
    backgroundImage: "none",
    backgroundColor: "var(--c-card)",
    border: "1px solid var(--c-border)",
  },
  ".cm-searchMatch": { backgroundColor: "var(--c-warn-bg)", outline: "1px solid var(--c-warn-line)" },
  ".cm-tooltip": { backgroundColor: "var(--c-elevated)", border: "1px solid var(--c-split)" },
});

const phrases = EditorState.phrases.of({
  Find: "查找",
  Replace: "替换为",
  next: "下一个",
  previous: "上一个",
  all: "全部",
  "match case": "区分大小写",
  regexp: "正则表达式",
  "by word": "全词匹配",
  replace: "替换",
  "replace all": "全部替换",
  close: "关闭",
  "Go to line": "转到行",
  go: "转到",
  "current match": "当前匹配",
  "replaced $ matches": "替换了 $ 处",
  "on line": "在第几行",
  "replaced match on line $": "替换了第 $ 行的匹配",
  "Control character": "控制字符",
  "Selection deleted": "已删除所选",
  "Folded lines": "折叠的行",
  "Unfolded lines": "展开的行",
  "folded code": "折叠的代码",
  unfold: "展开",
  "Fold line": "折叠这一行",
  "Unfold line": "展开这一行",
});

interface AreaInput {
  parent: HTMLElement;
  text: string;
  /** Decides the language. */
  name: string;
  readOnly: boolean;
  /** Further extensions of this editor. */
  more?: Extension;
  onChange: (view: EditorView) => void;
}

export function makeArea({ parent, text, name, readOnly, more = [], onChange }: AreaInput): EditorView {
  const language = new Compartment();
  const extensions: Extension[] = [
    basicSetup,
    more,
    keymap.of([indentWithTab]),
    looks,
    colors,
    phrases,
    language.of([]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": `${name} 的内容` }),
    EditorState.readOnly.of(readOnly),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.view);
    }),
  ];
  const view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
  void LanguageDescription.matchFilename(languages, name)
    ?.load()
    .then(
      (support) => view.dispatch({ effects: language.reconfigure(support) }),
      // Without its colours the text is all there still.
      () => {},
    );
  return view;
}
