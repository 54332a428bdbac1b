/** The beginning of a text, and how long all of it is where something was left out. For text that strangers send. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}
