// The cross of a drawer: at the right, drawn by our icon, because Ant Design's announces itself in English.
import { Icon } from "@/shared/theme/Icon";

export const drawerClose = { placement: "end", closeIcon: <Icon name="close" /> } as const;
