import { type Config, configKey, type Place } from "./config.ts";
import type { Finding, Remark } from "./finding.ts";

/** Something to tell the author of a configuration. Errors keep an object (or document) from being applied. */
export interface Issue extends Finding {
  /** `Kind namespace/name` when the object could be told, else "". */
  readonly object: string;
  readonly place: Place | undefined;
}

/** A warning about an object as a whole, or with "" about none: no file holds what it speaks of. */
export function warningAbout(object: string, remark: Remark): Issue {
  return { severity: "warning", object, path: "", place: undefined, ...remark };
}

/** An object that a source has twice, said of either. */
export function duplicateIssue(config: Config, { winner, loser }: Readonly<Record<"winner" | "loser", Config>>): Issue {
  return {
    severity: "warning",
    code: "duplicate-object",
    object: `${config.kind} ${configKey(config)}`,
    path: "metadata.name",
    message: `defined twice: ${winner.origin.reference} wins over ${loser.origin.reference}`,
    place: config.origin.locate("metadata.name"),
  };
}
