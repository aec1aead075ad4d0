// A search field that reports the input after a short pause, or at once on Enter.
import { Input } from "antd";
import { useEffect, useEffectEvent, useState } from "react";
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
  const [seen, setSeen] = useState(value);

  // The value changed from outside (filters cleared, a link opened): show it. Our own report coming back is ignored, or
  // it would replace input typed meanwhile; it may take a while.
  if (value !== seen) {
    setSeen(value);
    if (value !== reported) {
      setReported(value);
      setText(value);
    }
  }

  function report() {
    const trimmed = text.trim();
    if (trimmed === reported) return;
    setReported(trimmed);
    onSearch(trimmed);
  }

  // The effects of `onSearch` may have changed during the pause.
  const reportNow = useEffectEvent(report);
  useEffect(() => {
    if (text.trim() === reported) return;
    const timer = setTimeout(() => reportNow(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, reported]);

  return (
    <Input
      type="search"
      // The key "/" finds the field by it.
      enterKeyHint="search"
      aria-label={placeholder}
      placeholder={placeholder}
      prefix={<Icon name="search" size={14} style={{ color: "var(--c-text3)" }} />}
      value={text}
      allowClear
      style={{ width }}
      onChange={(event) => setText(event.target.value)}
      onPressEnter={report}
    />
  );
}
