import {
  FilterConfigSchema,
  FilterConfig_Protocol as Protocol,
} from "#gen/istio/envoy/config/filter/http/alpn/v2alpha1/config_pb.js";
import type { Filter } from "./filter.ts";

/** Sets the HTTP version in the ALPN of mesh mTLS, so that the server need not detect it. */
export const alpn: Filter = {
  name: "istio.alpn",
  appliesTo: ({ direction, capabilities }) => direction !== "inbound" && capabilities.alpn,
  config: (writer) =>
    writer.any(FilterConfigSchema, {
      alpnOverride: [
        { upstreamProtocol: Protocol.HTTP10, alpnOverride: ["istio-http/1.0", "istio", "http/1.0"] },
        { upstreamProtocol: Protocol.HTTP11, alpnOverride: ["istio-http/1.1", "istio", "http/1.1"] },
        { upstreamProtocol: Protocol.HTTP2, alpnOverride: ["istio-h2", "istio", "h2"] },
      ],
    }),
};
