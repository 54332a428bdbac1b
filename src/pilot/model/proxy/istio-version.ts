/** Whether a version is of this minor release, or later. A proxy without a version is taken for a new one. */
export function isAtLeast(version: unknown, [major, minor]: readonly [major: number, minor: number]): boolean {
  const found = typeof version === "string" ? /^(\d+)\.(\d+)/u.exec(version) : null;
  if (found === null) return true;
  const [, ownMajor, ownMinor] = found.map(Number);
  return (ownMajor ?? 0) > major || (ownMajor === major && (ownMinor ?? 0) >= minor);
}
