// A link that looks like a button: it leads inside the portal, and can be opened in another tab as links can.
import { Button, type ButtonProps } from "antd";
import { useHref, useNavigate } from "react-router";

interface LinkButtonProps extends Omit<ButtonProps, "href" | "onClick"> {
  to: string;
}

export function LinkButton({ to, ...button }: LinkButtonProps) {
  const href = useHref(to);
  const navigate = useNavigate();
  return (
    <Button
      {...button}
      href={href}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        void navigate(to);
      }}
    />
  );
}
