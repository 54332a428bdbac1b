import { type Issue, warningAbout } from "../../../config/issue.ts";
import type { RegistryPart } from "../registry/registry-state.ts";

/** A node's path below the registry's root, name by name; empty for the root itself. */
export type NodePath = readonly string[];

/** The members of a folder: the node data by name. Empty data where only names matter. */
export type Members = ReadonlyMap<string, string>;

/** Service settings that nodes do not contain. */
export interface ServiceSettings {
  readonly namespace: string;
  readonly hostSuffix: string;
  /** The protocol of plain ports. */
  readonly protocol: string;
  /** A port that each service has; 0 for none. */
  readonly port: number;
  /** Whether the ports of the instances are ports of the service. */
  readonly instancePort: boolean;
  /** Instance metadata that do not become labels. */
  readonly ignoredLabels: readonly string[];
}

/** The node layout of a registry and its interpretation. */
export interface Layout {
  /**
   * The role of a node below a folder. A `folder` has children. A `member` has all its information in its name. A
   * `document` has data to read. `none` is ignored.
   */
  readonly roleOf: (nodePath: NodePath) => "folder" | "member" | "document" | "none";
  /** The node whose children are the folder's members, below the root; "" for the root itself. */
  readonly listedAt: (nodePath: NodePath) => string;
  /** Whether a document with this text is really a folder. */
  readonly isFolder: (text: string) => boolean;
  /**
   * A reader of the services that a folder lists. It reads only the members that have changed since its last call.
   * `reference` is the place where a person finds the folder.
   */
  readonly openFolder: (nodePath: NodePath, reference: string) => (members: Members) => RegistryPart;
}

/** A valid object name, derived from this text. */
export function objectNameOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^-a-z0-9.]/gu, "-")
    .replaceAll(/^[-.]+|[-.]+$/gu, "");
}

/** The issue for a skipped node, with the reason. */
export function badNode(path: string, problem: string): Issue {
  const message = `${path} ${problem}; it is ignored`;
  return warningAbout("", { code: "bad-instance", message });
}
