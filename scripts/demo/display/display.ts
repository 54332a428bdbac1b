import type { Scene } from "../observed/scene.ts";

/** Where the demo is watched. */
export interface Display extends Disposable {
  /** How often it is shown something. */
  readonly intervalMs: number;
  /** Over how many intervals calls are counted. */
  readonly intervals: number;
  show(scene: Scene): void;
}
