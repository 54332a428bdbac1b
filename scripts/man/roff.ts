/** Text for roff: no character of it is a request or an escape. A hyphen stays one that can be copied. */
export function roffText(text: string): string {
  const escaped = text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "...");
  // A line that begins with one of these would be a request.
  return escaped.replaceAll(/^(?=[.'])/gmu, "\\&");
}

export function bold(text: string): string {
  return `\\fB${roffText(text)}\\fR`;
}

export function italic(text: string): string {
  return `\\fI${roffText(text)}\\fR`;
}

/** A heading with its lines. */
export function section(title: string, lines: readonly string[]): readonly string[] {
  return [`.SH ${title.toUpperCase()}`, ...lines];
}

/** A term with its meaning. */
export function term(name: string, meaning: string): readonly string[] {
  return [".TP", name, roffText(meaning)];
}

/** Lines that keep their form. */
export function literal(lines: readonly string[]): readonly string[] {
  return [".nf", ...lines.map(roffText), ".fi"];
}
