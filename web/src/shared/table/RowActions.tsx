// Actions on one row: one or two words, the rest under ⋯. Disabled ones stay visible with the reason under them, so
// that a phone and a screen reader get the reason too.
import { Button, Flex } from "antd";
import { Icon } from "@/shared/theme/Icon";
import { DropMenu } from "@/shared/ui/DropMenu";
import { useReturnFocus } from "@/shared/ui/use-return-focus";
import styles from "./RowActions.module.css";

export interface RowAction {
  key: string;
  label: string;
  onClick: () => void;
  danger?: boolean;
  /** Why it is disabled. */
  disabledReason?: string | undefined;
}

interface RowActionsProps {
  /** The row's name, for the label of ⋯. */
  name: string;
  /** Written out; at most two. */
  first?: readonly RowAction[];
  more: readonly RowAction[];
}

export function RowActions({ name, first = [], more }: RowActionsProps) {
  const { trigger, onOpenChange } = useReturnFocus();
  return (
    <Flex gap={2} justify="end" align="center">
      {first.map((action) => (
        <Button
          key={action.key}
          type="text"
          size="small"
          danger={action.danger}
          disabled={action.disabledReason !== undefined}
          title={action.disabledReason}
          onClick={action.onClick}
        >
          {action.label}
        </Button>
      ))}
      <DropMenu
        trigger={["click"]}
        placement="bottomRight"
        onOpenChange={onOpenChange}
        menu={{
          items: more.map((action) => ({
            key: action.key,
            danger: action.danger ?? false,
            disabled: action.disabledReason !== undefined,
            onClick: ({ domEvent }) => {
              // The key that chooses must not also reach the field that is focused next.
              domEvent.preventDefault();
              // The item disappears with its menu; a dialogue must return the focus to an element that stays.
              trigger.current?.focus();
              action.onClick();
            },
            label: (
              <span className={styles.label}>
                {action.label}
                {action.disabledReason && <small>{action.disabledReason}</small>}
              </span>
            ),
          })),
        }}
      >
        <Button
          ref={trigger}
          type="text"
          size="small"
          aria-label={`${name} 的更多操作`}
          title="更多"
          icon={<Icon name="more" size={14} />}
        />
      </DropMenu>
    </Flex>
  );
}
