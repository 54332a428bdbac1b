import type { Edge } from "./edge.ts";
import type { Files, Setting, Slot } from "./tenant-mesh.ts";

/** The stages of the objects of a row, in order. */
export type Stage = "good" | "poisoned" | "mended" | "spoilt again";

/** Something for each version of the objects. `good` is the version before somebody spoils them. */
type ByVersion<T> = Readonly<Record<"good" | "poisoned" | "mended", T>>;

/** One kind of poison, and its effect on real gateways. */
export interface Row {
  /** `serve`: validation accepts the poison. `unvalidated`: the objects get behind validation by a hook of the test. */
  readonly validation: "serve" | "unvalidated";
  /** Whether somebody spoils good objects, or the poison is there before the first gateway. */
  readonly begins: "good" | "poisoned";
  /** The gateways that refuse the objects. All others accept them. */
  readonly refusing: "current" | "old";
  /** The refused objects, with their replacements: `VirtualService/tenant-3/host-23: nothing`. */
  readonly refused: readonly string[];
  readonly files: ByVersion<Files>;
  /** The hosts of these objects. All others must answer at all times. */
  readonly victims: readonly number[];
  /** An effect of the objects on a gateway. */
  readonly effect: (edge: Edge) => Promise<string>;
  readonly effects: ByVersion<string>;
  /** Slots in which every request is denied while the objects are poisoned, because a policy has no accepted version. */
  readonly denied?: readonly Slot[];
  /** The effect on gateways of another class, which accept the poison. */
  readonly acceptedByOthers?: string;
  /** In other slots the objects have no effect. */
  readonly affects?: readonly Slot[];
}

export type MakeRow = (setting: Setting) => Row | Promise<Row>;
