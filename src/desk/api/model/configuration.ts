import type { Facet, Listing, Shortened } from "./listing.ts";
import type { ObjectLink } from "./object-link.ts";

/** `GET /api/v1/configuration?search=&kind=&namespace=&source=&severity=&limit=&cursor=`. */
export interface ConfigurationListing extends Listing<ObjectSummary> {
  readonly facets: Readonly<Record<"kind" | "namespace" | "source" | "severity", readonly Facet[]>>;
}

export interface ObjectSummary extends ObjectLink {
  readonly apiVersion: string;
  readonly version: string;
  /** The worst issue; absent without issues. */
  readonly severity?: Severity;
  readonly issues: number;
}

export type Severity = "error" | "warning" | "info";

/** `GET /api/v1/configuration/KIND/NAMESPACE/NAME` (`-` for an empty namespace). */
export interface ObjectDetail extends ObjectSummary {
  /** The object as its author wrote it, or printed from the accepted object if there is no text. */
  readonly yaml: string;
  /** The line of the file at which `yaml` begins; 1 if there is no file. */
  readonly firstLine: number;
  readonly messages: readonly ObjectMessage[];
  readonly labels: Readonly<Record<string, string>>;
  /** Sources with an object of the same name. The first one wins. */
  readonly precedence: readonly PrecedenceEntry[];
  /** Proxies refuse it; absent if none does. */
  readonly quarantine?: { readonly reason: string; readonly keptFrom: number };
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
  readonly documentation?: string;
}

export interface PrecedenceEntry {
  readonly source: string;
  readonly reference?: string;
  readonly wins: boolean;
}

/** Resources that connected proxies have, or should have, because of the object. */
export interface GeneratedFrom {
  readonly proxies: number;
  readonly upToDate: number;
  /** Distinct resources, at most 100. */
  readonly resources: Shortened<GeneratedResource>;
  /** The first proxies, at most 20. */
  readonly nodes: readonly string[];
}

export interface GeneratedResource {
  readonly type: string;
  readonly name: string;
  readonly proxies: number;
}
