import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import {
  type HttpConnectionManager,
  HttpConnectionManagerSchema,
} from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";

/** Whether the listener is for proxyless gRPC clients. */
export function isApiListener({ apiListener }: Listener): boolean {
  return apiListener !== undefined;
}

/** The connection manager of such a listener, which has no filter chains. */
export function apiManagerOf({ apiListener }: Listener): HttpConnectionManager | undefined {
  const any = apiListener?.apiListener;
  return any === undefined ? undefined : anyUnpack(any, HttpConnectionManagerSchema);
}
