import { compare } from "../route/text-pattern.ts";
import type { Judgement } from "./judgement.ts";

/** The characters that the wildcards of a template take: those of a path segment, except `*`. */
const segment = "a-zA-Z0-9\\-._~%!$&'()+,;:@=";

/** `*` stands for one segment, `**` for any number of them, also for none. */
export function templateJudgement(template: string, path: string): Judgement {
  const parts = template.split(/(?<wild>\*\*|\*)/u).map((part) => {
    if (part === "**") return `[${segment}/]*`;
    return part === "*" ? `[${segment}]+` : RegExp.escape(part);
  });
  const { holds } = compare("path", path, { type: "regex", value: parts.join(""), ignoreCase: false });
  return { holds, text: `path ${holds ? "matches" : "does not match"} ${template}` };
}
