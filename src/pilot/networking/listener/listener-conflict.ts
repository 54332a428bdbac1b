import type { ConfigId } from "../../../config/config.ts";

/** An object that does not get its connections, or not all of them, because another one was there first. */
export interface ListenerConflict {
  /** The name of the listener both asked for. */
  readonly listener: string;
  /** Undefined when it is a listener that no object asked for, such as the mesh's HTTP proxy. */
  readonly winner: ConfigId | undefined;
  readonly loser: ConfigId;
}
