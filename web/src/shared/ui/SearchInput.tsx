// A search field that reports what was typed after a short pause, or at once on Enter.
import { Input } from "antd";
import { useEffect, useRef, useState } from "react";
import { Icon } from "@/shared/theme/Icon";

interface SearchInputProps {
  placeholder: string;
  value: string;
  onSearch: (value: string) => void;
  width?: number | string;
}

const PAUSE_MS = 300;

export function SearchInput({ placeholder, value, onSearch, width = 208 }: SearchInputProps) {
  const [text, setText] = useState(value);
  const [reported, setReported] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  // The value changed from outside (filters cleared, a link opened): show it. Our own report coming back does not
  // count, or it would swallow what was typed meanwhile.
  if (value !== reported) {
    setReported(value);
    setText(value);
  }

  function report(next: string) {
    clearTimeout(timer.current);
    const trimmed = next.trim();
    if (trimmed === reported) return;
    setReported(trimmed);
    onSearch(trimmed);
  }

  function type(next: string) {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => report(next), PAUSE_MS);
  }

  return (
    <Input
      type="search"
      aria-label={placeholder}
      placeholder={placeholder}
      prefix={<Icon name="search" size={14} style={{ color: "var(--c-text3)" }} />}
      value={text}
      allowClear
      style={{ width }}
      onChange={(event) => type(event.target.value)}
      onPressEnter={() => report(text)}
    />
  );
}
