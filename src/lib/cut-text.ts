/**
 * The beginning of a text, with the full length if something was cut. Use it for text from untrusted senders. The
 * result is a copy: a slice would keep the whole text in memory.
 */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const beginning = Buffer.from(text.slice(0, length), "utf16le").toString("utf16le");
  return `${beginning}… (${text.length} characters)`;
}
