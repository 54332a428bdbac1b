/** The public API: embed a control plane, Galley alone or Pilot alone, and the sources that feed it. */
export type { Addresses } from "./admin/state.ts";
export {
  type ControlPlane,
  type ControlPlaneOptions,
  createControlPlane,
  createGalley,
  createPilot,
  type GalleySummary,
  type Server,
  type Summary,
} from "./app/control-plane.ts";
export type { Options } from "./app/options/options.ts";
export type { Config, Origin, SourceLocation as Place } from "./config/config.ts";
export type { Issue } from "./config/issue.ts";
export type { IssueCode } from "./config/issue-codes.ts";
export type { Kind } from "./config/kind.ts";
export { kindOf, kinds } from "./config/kinds.ts";
export { type ParsedFile, type ParseInput, parseConfigs } from "./config/parse/parse.ts";
export { MemorySource, type MemorySourceOptions } from "./galley/source/memory-source.ts";
export type { Source, SourceEvent, SourceHandler } from "./galley/source/source.ts";
export { MeshError, type MeshErrorCode } from "./lib/errors.ts";
export type { Logger } from "./lib/logger.ts";
export type { Clock } from "./lib/time/clock.ts";
