import { didYouMean } from "../../lib/did-you-mean.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { error, errorUnless, type Finding, type Remark, warning } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { kinds as allKinds, kindInGroup, kindServedAs, splitApiVersion } from "../kinds.ts";
import type { RawObject } from "./raw-object.ts";

/** The kind of an object, as far as it is known. */
interface Identified {
  /** Undefined for an object that is not read: it has no kind, a foreign kind, or a kind that was not requested. */
  readonly row: Kind | undefined;
  /** The suggestion for a misspelt kind. */
  readonly meant?: Kind;
  readonly findings: readonly Finding[];
}

/** Finds the kind of an object among the requested kinds, and the mistakes in its name. */
export function findKind({ fields }: RawObject, kinds: readonly Kind[]): Identified {
  const { apiVersion, kind } = fields;
  if (typeof kind !== "string" || kind === "") return unidentified("kind", "kind is missing");
  if (typeof apiVersion !== "string" || apiVersion === "") return unidentified("apiVersion", "apiVersion is missing");
  const { group, version } = splitApiVersion(apiVersion);
  const served = kindServedAs(kinds, apiVersion, kind);
  if (served !== undefined) return { row: served, findings: [] };
  // One of our kinds that was not requested.
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

/** Routes and gateways of the Gateway API. Their authors expect an effect on traffic. */
const gatewayApi = "gateway.networking.k8s.io";

/**
 * A warning if the kind may be right: directories hold ServiceAccounts and the like beside mesh configuration. In our
 * own groups it is an error if it resembles one of our kinds or has no name. A truncated file looks like that.
 */
function unknownKind(fields: RawObject["fields"], { kind, group, kinds }: UnknownKind): Identified {
  const inGroup = kinds.filter((row) => row.group === group);
  const names = inGroup.map((row) => row.kind);
  const near = didYouMean(kind, names);
  const meant = inGroup.find((row) => row.kind === near);
  const of = `${kind} of ${group === "" ? "the core group" : group}`;
  if (meant !== undefined) {
    const message = `${of} is not a known kind`;
    return {
      row: undefined,
      meant,
      findings: [error("kind", { code: "unknown-kind", message, hint: `did you mean ${meant.kind}?` })],
    };
  }
  const metadata = fields["metadata"];
  const named = inGroup.length === 0 || (isMapping(metadata) && typeof metadata["name"] === "string");
  const ignored = warning("kind", ignoredRemark(group, of));
  const nameless: Remark = { code: "missing-name", message: "metadata.name is missing" };
  return { row: undefined, findings: [ignored, ...errorUnless(named, "metadata.name", nameless)] };
}

function ignoredRemark(group: string, of: string): Remark {
  if (group === gatewayApi) return { code: "unsupported-kind", message: `${of} is not supported; it has no effect` };
  if (!/(?:^|\.)istio\.io$/u.test(group)) {
    return { code: "ignored-kind", message: `${of} is not mesh configuration; the object is ignored` };
  }
  return { code: "unknown-kind", message: `${of} is not a known kind; the object is ignored` };
}
