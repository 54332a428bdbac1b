import type { ProxyAt } from "../../history/fleet-at.ts";
import type { History, MeshAt } from "../../history/history.ts";

/** A resource that a moment has for a proxy. */
export interface ResourceAt {
  /** CDS, EDS, … */
  readonly type: string;
  readonly name: string;
  readonly version: string;
  /** As JSON, without secrets. */
  readonly message: () => unknown;
}

/** The log that the server writes, for readers. */
export interface DeskHistory {
  readonly directory: string;
  /** The log as it is now. */
  open(): Promise<History>;
  /** Makes the resources of a moment again. Takes time, and holds up the server meanwhile. */
  resourcesAt(mesh: MeshAt, proxy: ProxyAt): Promise<readonly ResourceAt[]>;
}
