import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import {
  type DownstreamTlsContext,
  DownstreamTlsContextSchema,
} from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { type Outcome, refused } from "../explanation.ts";
import { type Request, showsCertificate } from "../request.ts";

/** Whether the proxy ends the client's TLS, and so sees what is inside. */
export function endsTls(chain: FilterChain): boolean {
  return tlsOf(chain) !== undefined;
}

/** What becomes of a client that does not speak TLS as the chain wants it; undefined when both agree. */
export function tlsRefusal(chain: FilterChain, request: Request): Outcome | undefined {
  const tls = tlsOf(chain);
  if (tls === undefined) return undefined;
  if (request.protocol !== "tls") return refused("the filter chain wants TLS, and the client speaks plaintext");
  if (tls.requireClientCertificate !== true || showsCertificate(request)) return undefined;
  return refused("the filter chain wants a client certificate, and the client shows none");
}

function tlsOf({ transportSocket }: FilterChain): DownstreamTlsContext | undefined {
  const config = transportSocket?.configType;
  return config?.case === "typedConfig" ? anyUnpack(config.value, DownstreamTlsContextSchema) : undefined;
}
