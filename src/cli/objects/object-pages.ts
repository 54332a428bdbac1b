import type { ObjectProgressPage } from "../../admin/pilot/object-progress.ts";
import type { QuarantinePage } from "../../admin/pilot/quarantine-page.ts";
import { fetchIfThere, fetchPage } from "../mesh/fetch-page.ts";
import type { PatchPage } from "../proxies/patch-text.ts";
import type { NackReport } from "../proxies/fetch-status.ts";

interface Placed {
  readonly object: string;
  readonly reference: string;
}

/** The pages of a server with data per object. Pilot's pages are absent on a server without Pilot. */
export interface ObjectPages {
  readonly configs: Readonly<Record<string, readonly ConfigSummary[]>>;
  readonly issues: {
    readonly sources: readonly { readonly name: string; readonly stale?: string }[];
    readonly issues: readonly IssueSummary[];
    readonly clashes: readonly {
      readonly collection: string;
      readonly key: string;
      readonly claimants: readonly string[];
    }[];
  };
  readonly analysis: { readonly messages: readonly MessageSummary[] };
  readonly distribution: { readonly proxies: readonly ProxySummary[] } | undefined;
  readonly conflicts:
    | {
        readonly conflicts: readonly ConflictSummary[];
        readonly dangling: readonly (Placed & { readonly host?: string })[];
      }
    | undefined;
  readonly nacks: readonly NackReport[] | undefined;
  readonly patches: PatchPage | undefined;
  readonly quarantine: QuarantinePage | undefined;
  readonly progress: Pick<ObjectProgressPage, "state" | "proxies" | "contentHash"> | undefined;
}

export interface ConfigSummary {
  readonly key: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly version: string;
  readonly reference: string;
  readonly source: string;
}

interface IssueSummary {
  readonly source: string;
  readonly severity: string;
  readonly code: string;
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly path: string;
  readonly message: string;
  readonly reference: string;
}

interface MessageSummary {
  readonly code: string;
  readonly level: string;
  /** `Kind namespace/name`. */
  readonly origin: string;
  readonly message: string;
  readonly reference: string;
}

interface ProxySummary {
  readonly node: string;
  readonly upToDate: boolean;
  readonly resources: readonly { readonly type: string; readonly name: string }[];
}

export interface ConflictSummary {
  readonly type: string;
  readonly about: string;
  readonly winner: Placed | null;
  readonly losers: readonly Placed[];
  readonly reason: string;
}

/** `id` is `Kind/namespace/name`. Throws `unavailable`. */
export async function fetchObjectPages(server: string, id: string): Promise<ObjectPages> {
  const [configs, issues, analysis, distribution, conflicts, nacks, patches, quarantine, progress] = await Promise.all([
    fetchPage(server, "/debug/configz"),
    fetchPage(server, "/debug/issues"),
    fetchPage(server, "/debug/analysis"),
    fetchIfThere(server, `/debug/config_distribution?resource=${encodeURIComponent(id)}`),
    fetchIfThere(server, "/debug/conflicts"),
    fetchIfThere(server, "/debug/nacks"),
    fetchIfThere(server, "/debug/envoyfilters"),
    fetchIfThere(server, "/debug/quarantine"),
    fetchIfThere(server, `/debug/object_progress?object=${encodeURIComponent(id)}`),
  ]);
  // Pages of our own server.
  return { configs, issues, analysis, distribution, conflicts, nacks, patches, quarantine, progress } as ObjectPages;
}
