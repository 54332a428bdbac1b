import type { MtlsMode } from "../../../model/mtls/peer-authentication.ts";
import { isHttp, type Protocol } from "../../../model/service/service.ts";

/** One filter chain of a port: its match, and whether it handles HTTP or TCP. */
export interface InboundRule {
  readonly carries: "http" | "tcp";
  readonly transportProtocol: "raw_buffer" | "tls";
  /** Terminates mesh mTLS. Otherwise TLS passes through to the workload. */
  readonly terminates: boolean;
  readonly applicationProtocols: readonly string[];
}

/** ALPN values of mesh mTLS clients: HTTP inside, TCP inside, or either. */
const meshHttpAlpns = ["istio-http/1.0", "istio-http/1.1", "istio-h2"];
const meshTcpAlpns = ["istio-peer-exchange", "istio"];
const meshAlpns = ["istio", "istio-peer-exchange", ...meshHttpAlpns];

const plain = (carries: "http" | "tcp", applicationProtocols: readonly string[] = []): InboundRule => ({
  carries,
  transportProtocol: "raw_buffer",
  terminates: false,
  applicationProtocols,
});

const mutual = (carries: "http" | "tcp", applicationProtocols: readonly string[] = []): InboundRule => ({
  carries,
  transportProtocol: "tls",
  terminates: true,
  applicationProtocols,
});

/** TLS of the workload's own, or of a client outside the mesh. */
const passedThroughTls: InboundRule = {
  carries: "tcp",
  transportProtocol: "tls",
  terminates: false,
  applicationProtocols: [],
};

type PortClass = "http" | "tcp" | "auto";
type Rules = Readonly<Record<PortClass, Readonly<Record<MtlsMode, readonly InboundRule[]>>>>;

function rulesFor(plainHttp: readonly string[]): Rules {
  return {
    http: {
      disable: [plain("http")],
      permissive: [mutual("http", meshAlpns), plain("http")],
      strict: [mutual("http")],
    },
    tcp: {
      disable: [plain("tcp")],
      permissive: [mutual("tcp", meshAlpns), passedThroughTls, plain("tcp")],
      strict: [mutual("tcp")],
    },
    auto: {
      disable: [plain("http", plainHttp), plain("tcp")],
      permissive: [
        mutual("http", meshHttpAlpns),
        plain("http", plainHttp),
        mutual("tcp", meshTcpAlpns),
        plain("tcp"),
        passedThroughTls,
      ],
      strict: [mutual("http", meshHttpAlpns), mutual("tcp")],
    },
  };
}

/**
 * The filter chains of a port, in order. `plainHttp` lists the HTTP versions of the HTTP inspector that the port
 * serves.
 */
export function inboundRules(protocol: Protocol, mode: MtlsMode, plainHttp: readonly string[]): readonly InboundRule[] {
  const rules = rulesFor(plainHttp);
  if (protocol === "auto") return rules.auto[mode];
  return rules[isHttp(protocol) ? "http" : "tcp"][mode];
}
