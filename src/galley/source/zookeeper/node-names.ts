import { type Issue, warningAbout } from "../../../config/issue.ts";

/** What an object can be called that is made of something with this name. */
export function objectNameOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^-a-z0-9.]/gu, "-")
    .replaceAll(/^[-.]+|[-.]+$/gu, "");
}

/** A node that is left out, and why. */
export function badNode(path: string, problem: string): Issue {
  const message = `${path} ${problem}; it is left out`;
  return warningAbout("", { code: "bad-instance", message });
}
