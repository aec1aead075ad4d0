// Gives the reader a file that was made or fetched by the page.
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Some browsers still read the address after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
