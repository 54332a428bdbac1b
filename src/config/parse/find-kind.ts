import { didYouMean } from "../../lib/did-you-mean.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { error, errorUnless, type Finding, type Remark, warning } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { kinds as allKinds, kindInGroup, kindServedAs, splitApiVersion } from "../kinds.ts";
import type { RawObject } from "./raw-object.ts";

/** Which kind an object is of, as far as that can be told. */
interface Identified {
  /** Undefined for what is not read: it has no kind, one of other people's, or one that nobody asked for. */
  readonly row: Kind | undefined;
  /** For a kind that is misspelt. */
  readonly meant?: Kind;
  readonly findings: readonly Finding[];
}

/** The kind of an object among those that are read, and what is wrong with how it is named. */
export function findKind({ fields }: RawObject, kinds: readonly Kind[]): Identified {
  const { apiVersion, kind } = fields;
  if (typeof kind !== "string" || kind === "") return unidentified("kind", "kind is missing");
  if (typeof apiVersion !== "string" || apiVersion === "") return unidentified("apiVersion", "apiVersion is missing");
  const { group, version } = splitApiVersion(apiVersion);
  const served = kindServedAs(kinds, apiVersion, kind);
  if (served !== undefined) return { row: served, findings: [] };
  // One of ours that nobody asked for.
  if (kindServedAs(allKinds, apiVersion, kind) !== undefined) return { row: undefined, findings: [] };
  const row = kindInGroup(kinds, group, kind);
  if (row === undefined) return unknownKind(fields, { kind, group, kinds });
  const message = `${kind} has no version "${version}" in ${group}`;
  const hint = `known versions are ${row.versions.join(", ")}`;
  return { row, findings: [error("apiVersion", { code: "unknown-version", message, hint })] };
}

function unidentified(path: string, message: string): Identified {
  return { row: undefined, findings: [error(path, { code: "missing-kind", message })] };
}

interface UnknownKind {
  readonly kind: string;
  readonly group: string;
  readonly kinds: readonly Kind[];
}

/**
 * A warning where it may be right: directories hold Deployments and the like beside what is ours. In a group of ours
 * it is wrong if it is nearly one of our kinds, or has no name: a file that was cut off looks like that.
 */
function unknownKind(fields: RawObject["fields"], { kind, group, kinds }: UnknownKind): Identified {
  const inGroup = kinds.filter((row) => row.group === group);
  const names = inGroup.map((row) => row.kind);
  const near = didYouMean(kind, names);
  const meant = inGroup.find((row) => row.kind === near);
  const of = `${kind} of ${group === "" ? "the core group" : group}`;
  if (meant !== undefined) {
    const message = `${of} is not a kind we read`;
    return {
      row: undefined,
      meant,
      findings: [error("kind", { code: "unknown-kind", message, hint: `did you mean ${meant.kind}?` })],
    };
  }
  const metadata = fields["metadata"];
  const named = inGroup.length === 0 || (isMapping(metadata) && typeof metadata["name"] === "string");
  const ignored = warning("kind", {
    code: "unknown-kind",
    message: `${of} is not a kind we read; the object is ignored`,
  });
  const nameless: Remark = { code: "missing-name", message: "metadata.name is missing" };
  return { row: undefined, findings: [ignored, ...errorUnless(named, "metadata.name", nameless)] };
}
