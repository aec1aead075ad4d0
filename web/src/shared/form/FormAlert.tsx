// Faults of a submitted form that belong to no field, above the fields.
import { Alert } from "antd";

export function FormAlert({ messages }: { messages: readonly string[] }) {
  if (messages.length === 0) return null;
  return <Alert type="error" showIcon title={messages.join("；")} style={{ marginBottom: 12 }} />;
}
