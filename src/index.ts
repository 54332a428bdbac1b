/** The public API: a control plane to embed in another program. */
export type { Addresses } from "./admin/state.ts";
export {
  type ControlPlane,
  type ControlPlaneOptions,
  createControlPlane,
  type Summary,
} from "./app/control-plane.ts";
export type { Options } from "./app/options.ts";
export type { Clock } from "./lib/clock.ts";
export { MeshError, type MeshErrorCode } from "./lib/errors.ts";
export type { Logger } from "./lib/logger.ts";
