/** The text below the heading of a version, up to the next version. Undefined without such a heading, or without text. */
export function releaseNotes(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /mu).slice(1);
  const section = sections.find((each) => nameOf(each) === version);
  const text = section?.slice(section.indexOf("\n")).trim();
  return text ? `${text}\n` : undefined;
}

/** `[0.2.0] - 2026-11-17` and `Unreleased` begin with the name. */
function nameOf(section: string): string | undefined {
  return /^\[?(?<name>[^\]\s]+)/u.exec(section)?.groups?.["name"];
}
