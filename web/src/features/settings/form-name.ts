/** The server's name of a field, such as `items[0].address`, as a form names it. */
export const formName = (name: string): (string | number)[] =>
  name.split(/[.[\]]+/).flatMap((part) => (part === "" ? [] : [/^\d+$/.test(part) ? Number(part) : part]));
