import { istioGalleys, lackedBy } from "../../galley/source/mcp/istio-galley.ts";
import { createCalledMcpSource, type McpListener } from "../../galley/source/mcp/mcp-source.ts";
import { parseAddress } from "../../transport/listen-address.ts";
import type { GrpcServer } from "../../transport/server/grpc-server.ts";
import type { KeyPairFiles } from "../../transport/tls/key-pair.ts";
import { resourceSinkPath } from "../mcp/mcp-paths.ts";
import { mcpServer } from "../mcp/mcp-server.ts";
import { streamGate } from "../mcp/stream-gate.ts";
import { count, oneOf, onOff, singleText } from "../options/option-values.ts";
import type { MakeSource, SourceTools } from "./make-source.ts";
import { requestedCollections } from "./requested-collections.ts";
import { badSource, readQuery, type SourceUrl } from "./source-url.ts";

/** As much as is taken from a Galley that we call. */
const maxMessageBytes = 64 << 20;
/** How long a Galley may take to hang up when we stop. */
const graceMs = 1_000;

const onSilence = `Istio's Galley hangs up on a request for a collection that it lacks; set its version with ${istioGalleys
  .map((galley) => `?galley=${galley}`)
  .join(" or ")}, in the URL of the source`;

const tlsSettings = {
  ca: singleText("FILE"),
  cert: singleText("FILE"),
  key: singleText("FILE"),
  "access-list": singleText("FILE"),
};

interface ListenQuery {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly "access-list"?: string;
  readonly "max-message"?: number;
}

/** `mcp+listen://[HOST]:PORT`: a remote Galley that calls this address; with mutual TLS, `mcps+listen:`. */
export const mcpListenSource: MakeSource = (url, tools) => {
  const settings = { ...tlsSettings, incremental: onOff, "max-message": count, galley: oneOf(istioGalleys) };
  const { incremental = true, galley, ...query } = readQuery(url, settings);
  const { clock, galleys } = tools;
  const collections = requestedCollections(tools);
  const source = createCalledMcpSource({
    name: url.name,
    listener: doorOf(url, query, tools),
    collections,
    ...(galley === undefined ? { onSilence } : { lacks: lackedBy(galley, collections) }),
    incremental,
    clock,
    random: Math.random,
    observer: galleys.observer,
  });
  galleys.sources.push(source);
  return source;
};

function doorOf(url: SourceUrl, query: ListenQuery, { clock, galleys, options }: SourceTools): McpListener {
  const { "access-list": accessList, "max-message": most = maxMessageBytes } = query;
  const address = addressOf(url);
  const files = certificatesOf(url, query);
  const { logger, onRefused } = galleys;
  let server: GrpcServer | undefined;
  return {
    async open(serve) {
      server = mcpServer({
        address,
        path: resourceSinkPath,
        callers: "source",
        files,
        accessList,
        maxMessageBytes: most,
        settings: options,
        clock,
        logger,
        gate: streamGate({ options, clock, serve: (stream) => serve(galleys.watched(stream)) }),
        onRefused,
      });
      logger.info({ source: url.name, address: await server.start() }, "waiting for galleys");
    },
    close: async () => server?.stop({ graceMs }),
  };
}

function addressOf({ name, scheme, rest }: SourceUrl): string {
  const address = rest.replace(/^\/\/|\/$/g, "");
  if (rest.startsWith("//") && parseAddress(address)?.type === "tcp") return address;
  throw badSource(name, `expected ${scheme}://HOST:PORT`);
}

/** The files for mutual TLS; undefined for a scheme without TLS. */
function certificatesOf({ name, scheme, query: given }: SourceUrl, query: ListenQuery): KeyPairFiles | undefined {
  const { ca, cert: certificate, key } = query;
  if (scheme === "mcp+listen") {
    const meant = Object.keys(tlsSettings).find((each) => given.has(each));
    if (meant === undefined) return undefined;
    throw badSource(name, `${meant}= needs mcps+listen:`);
  }
  if (certificate !== undefined && key !== undefined && ca !== undefined)
    return { certificate, key, authorities: [ca] };
  throw badSource(name, "ca=, cert= and key= must be set");
}
