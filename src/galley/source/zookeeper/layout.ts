import type { RegistryPart } from "../registry/registry-state.ts";

/** A node's path below the registry's root, name by name; empty for the root itself. */
export type Trail = readonly string[];

/** The members of a folder: what their nodes hold, by name. Where only names tell something, they hold "". */
export type Members = ReadonlyMap<string, string>;

/** What services are like whose nodes do not say it. */
export interface ServiceSettings {
  readonly namespace: string;
  readonly hostSuffix: string;
  /** What the plain ports speak. */
  readonly protocol: string;
  /** A port that each service has; 0 for none. */
  readonly port: number;
  /** Whether the ports of the instances are ports of the service. */
  readonly instancePort: boolean;
  /** What instances say of themselves and does not become a label. */
  readonly ignoredLabels: readonly string[];
}

/** How a registry is laid out in nodes, and what they mean. */
export interface Layout {
  /**
   * What the node below a folder is to us: a folder of others, a member that its name tells everything of, a document
   * whose data has to be read, or nothing.
   */
  readonly roleOf: (trail: Trail) => "folder" | "member" | "document" | "none";
  /** The node whose children are the folder's members, below the root; "" for the root itself. */
  readonly listedAt: (trail: Trail) => string;
  /** Whether a document that holds this text is none, but one more folder. */
  readonly isFolder: (text: string) => boolean;
  /** The services that a folder lists. `reference` is where a person finds it. */
  readonly partOf: (trail: Trail, members: Members, reference: string) => RegistryPart;
}
