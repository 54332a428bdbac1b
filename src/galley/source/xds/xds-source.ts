import { RemoteSource } from "../remote/remote-source.ts";
import { XdsSession, type XdsSourceOptions } from "./xds-session.ts";

export type XdsSource = RemoteSource<XdsSession>;

/**
 * Reads a remote control plane, a real istiod or a Binnacle, over xDS. The source is stale without a stream, and until
 * a new stream has sent everything. All objects stay meanwhile.
 */
export function createXdsSource(options: XdsSourceOptions): XdsSource {
  return new RemoteSource({ ...options, newSession: (handler) => new XdsSession(options, handler) });
}
