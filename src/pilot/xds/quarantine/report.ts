import type { ConfigId } from "../../../config/config.ts";

/** The state of the quarantine at one moment, as plain data for pages, commands, status and metrics. */
export interface QuarantineReport {
  /** The classes of connected proxies, and those that refuse something without a connected proxy; sorted by description. */
  readonly classes: readonly ReportedClass[];
  /** Every refused object of every class, the oldest refusal first. */
  readonly refusals: readonly ReportedRefusal[];
  /** Versions that an operator serves although a class refused them. */
  readonly released: readonly ReportedRelease[];
  /** The search that runs now. At most one runs at a time. */
  readonly search: ReportedSearch | undefined;
  /** Proxies that are not used for searches now. */
  readonly untrusted: readonly UntrustedProxy[];
}

/** Proxies that judge the same resource alike. */
export interface ReportedClass {
  readonly id: string;
  /** For people: `router 1.40.0 (3f2a91)`. */
  readonly description: string;
  /** How many proxies of the class are connected to this server. */
  readonly proxies: number;
}

/** An object that a class refuses. */
export interface ReportedRefusal {
  readonly classId: string;
  readonly id: ConfigId;
  /** The refused version; undefined if the proxies refuse the mesh without the object. */
  readonly version: string | undefined;
  /** The words of the proxy. */
  readonly reason: string;
  /** The types and names of the rejected resources, as far as they are known. */
  readonly rejected: readonly RejectedResources[];
  /** When it was found, in the milliseconds of the server's clock. */
  readonly since: number;
  /** The node of the proxy on which it was found. */
  readonly node: string;
  /** The node of a second proxy that refused it, too; undefined while no second proxy has tried it. */
  readonly confirmedBy: string | undefined;
  /** The number of probes of the search that found it. */
  readonly probes: number;
  /** How many connected proxies of the class do not get the object. */
  readonly keptFrom: number;
  /** The nodes of connected proxies that get the object already: they are in a wave. */
  readonly arrivedAt: readonly string[];
  readonly instead: ReportedReplacement;
  readonly state: RefusalState;
}

export interface RejectedResources {
  /** CDS, LDS, … */
  readonly type: string;
  /** The rejected resource, or the suspects. */
  readonly resources: readonly string[];
}

/** The content that proxies of the class get in place of a refused object. */
export type ReportedReplacement =
  | { readonly type: "earlier version"; readonly version: string }
  | { readonly type: "nothing" }
  /** A policy that denies all requests of the object's workloads. */
  | { readonly type: "denied" };

export type RefusalState =
  /** The refusal stands, until the object changes. */
  | { readonly type: "refused" }
  /** One proxy of the class is about to get the current version, or has it and has not answered yet. */
  | { readonly type: "being tried"; readonly node: string }
  /** The proxy that tried it accepted it. The other proxies get it in waves; wave 1 is that proxy. */
  | { readonly type: "wave"; readonly wave: number; readonly waves: number };

/** A refused version that is served to a class because an operator released it. */
interface ReportedRelease {
  readonly classId: string;
  readonly id: ConfigId;
  readonly version: string | undefined;
}

export interface ReportedSearch {
  readonly classId: string;
  readonly node: string;
  /** The suspects of the current list. */
  readonly suspects: readonly ConfigId[];
  /** Answered probes so far. */
  readonly probes: number;
}

export interface UntrustedProxy {
  readonly node: string;
  readonly reason: /** Searches on it ended without a result: it rejects everything, or gives no answer. */
    | "searches without result"
    /** Another proxy of its class accepted an object that it refused. */
    | "contradicted"
    /** It accepted and rejected the same mesh. */
    | "changes its verdict"
    /** It disconnects again and again. */
    | "reconnects";
  /** From then on it is used again, in the milliseconds of the server's clock. */
  readonly until: number;
}

/** The answer to a request to try refused objects again. */
export type RetryResult =
  /** These objects are tried now, or next, on one proxy of each class that refuses them. */
  | { readonly type: "started"; readonly objects: readonly ConfigId[] }
  /** No class refuses the object, or any object. */
  | { readonly type: "not refused" }
  /** No connected proxy of a refusing class can try it now: none is connected, settled and trusted. */
  | { readonly type: "no proxy" };

/** The answer to a request to serve an object although proxies refuse it. */
export type ReleaseResult =
  /** All proxies of these classes get the current version from now on. */
  { readonly type: "released"; readonly classes: readonly string[] } | { readonly type: "not refused" };
