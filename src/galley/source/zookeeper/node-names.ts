import { type Issue, warningAbout } from "../../../config/issue.ts";

/** A valid object name, derived from this text. */
export function objectNameOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^-a-z0-9.]/gu, "-")
    .replaceAll(/^[-.]+|[-.]+$/gu, "");
}

/** The issue for a skipped node, with the reason. */
export function badNode(path: string, problem: string): Issue {
  const message = `${path} ${problem}; it is left out`;
  return warningAbout("", { code: "bad-instance", message });
}
