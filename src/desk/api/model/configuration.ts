import type { Severity, WorstIssue } from "./issue.ts";
import type { Facet, Listing, Shortened } from "./listing.ts";
import type { ObjectLink } from "./object-link.ts";

/**
 * `GET /api/v1/configuration?search=&kind=&namespace=&source=&severity=&limit=&cursor=`: the objects of all sources, by
 * kind, namespace and name. The facets count as those of proxies. Objects without an issue have the severity `none`.
 */
export interface ConfigurationListing extends Listing<ObjectSummary> {
  readonly facets: Readonly<Record<"kind" | "namespace" | "source" | "severity", readonly Facet[]>>;
  /** Issues of files and documents whose object is unknown, at most 20. Empty for a workload. */
  readonly unreadable: Shortened<WorstIssue>;
}

export interface ObjectSummary extends ObjectLink {
  /** Empty for an object that is not in use. */
  readonly apiVersion: string;
  /** The version in use; empty if there is none. */
  readonly version: string;
  readonly state: ObjectState;
  /** The worst issue; absent without issues. */
  readonly severity?: Severity;
  readonly issues: number;
}

export type ObjectState =
  | "in use"
  /** Proxies refuse the newest version: proxies like them get the last one that they accepted. */
  | "in quarantine"
  /** The newest version is invalid, and the last good one stays in use. */
  | "earlier version in use"
  /** The object is an invalid policy without an earlier version. A policy that denies more is in use instead. */
  | "replaced"
  /** The object is invalid, and there is no earlier version. */
  | "not in use";

/** `GET /api/v1/configuration/KIND/NAMESPACE/NAME` (`-` for an empty namespace). */
export interface ObjectDetail extends ObjectSummary {
  /**
   * The newest text of the object as its author wrote it, or printed from the accepted object if there is no text. The
   * values of a Secret are left out.
   */
  readonly yaml: string;
  /** The line of the file at which `yaml` begins; 1 if there is no file. */
  readonly firstLine: number;
  /** Whether `yaml` is the text of the author. */
  readonly written: boolean;
  /** The text of the version in use, if `yaml` is a newer one that is invalid. */
  readonly inUse?: string;
  readonly messages: readonly ObjectMessage[];
  readonly labels: Readonly<Record<string, string>>;
  /** Sources with an object of the same name. The first one wins. */
  readonly precedence: readonly PrecedenceEntry[];
  /** The classes of proxies that refuse it, and do not get it. */
  readonly quarantine: readonly ObjectRefusal[];
  readonly generated: GeneratedFrom;
}

/** An issue of validation, or a message of the analysis. */
export interface ObjectMessage {
  readonly severity: Severity;
  readonly code: string;
  readonly text: string;
  /** The field, as in `spec.http[0].route`. */
  readonly path: string;
  /** The line in the file; absent if unknown. */
  readonly line?: number;
  readonly reference?: string;
  /** The address of a page about the code. */
  readonly documentation: string;
}

export interface PrecedenceEntry {
  readonly source: string;
  readonly reference?: string;
  readonly wins: boolean;
}

/** Proxies of one class refuse the object. */
export interface ObjectRefusal {
  /** The class, for people: `router 1.40.0 (3f2a91)`. Absent for a workload. */
  readonly class?: string;
  /** The words of the proxy. */
  readonly reason: string;
  readonly since: string;
  /** The number of connected proxies that do not get it. Absent for a workload. */
  readonly keptFrom?: number;
  readonly instead: "earlier version" | "nothing" | "denied";
}

/** Resources that connected proxies have, or should have, because of the object. Only proxies that the viewer may see. */
export interface GeneratedFrom {
  readonly proxies: number;
  readonly upToDate: number;
  /** Distinct resources, at most 100, those of the most proxies first. */
  readonly resources: Shortened<GeneratedResource>;
}

export interface GeneratedResource {
  readonly type: string;
  readonly name: string;
  readonly proxies: number;
}

/** `GET /api/v1/configuration/KIND/NAMESPACE/NAME/proxies?search=&limit=&cursor=`: `Listing<ReachedProxy>`, by node id. */
export interface ReachedProxy {
  readonly node: string;
  readonly namespace: string;
  /** The proxy has acknowledged everything that is made from the object. */
  readonly upToDate: boolean;
  /** Resources made from the object. */
  readonly resources: number;
}
