// A person: what others call them, and the login name in grey.

interface PersonNameProps {
  person: { name?: string; username: string };
}

export function PersonName({ person: { name, username } }: PersonNameProps) {
  if (!name || name === username) return <span>{username}</span>;
  return (
    <span>
      {name} <small style={{ color: "var(--c-text3)" }}>{username}</small>
    </span>
  );
}
