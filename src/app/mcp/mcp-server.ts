import { MeshError } from "../../lib/errors.ts";
import type { Metadata } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { createGrpcServer, type GrpcServer } from "../../transport/server/grpc-server.ts";
import type { KeyPairFiles } from "../../transport/tls/key-pair.ts";
import { FoldedLog } from "../log/folded-log.ts";
import type { Options } from "../options/options.ts";
import { watchedFiles } from "../process/watched-files.ts";
import { McpAccess } from "./mcp-access.ts";
import type { StreamGate } from "./stream-gate.ts";

export interface McpServerOptions {
  readonly address: string;
  /** The path of the one method that is served. */
  readonly path: string;
  /** The role of the callers, for the log. */
  readonly callers: "sink" | "source";
  /** Files for mTLS; plaintext without them. */
  readonly files: KeyPairFiles | undefined;
  readonly accessList: string | undefined;
  readonly maxMessageBytes?: number;
  readonly settings: Pick<Options, "sendTimeoutMs" | "keepaliveIntervalMs" | "keepaliveTimeoutMs">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metadata?: Metadata;
  readonly gate: StreamGate;
  /** Called when a client is refused. */
  readonly onRefused: () => void;
  /** Gets each new certificate of the server, PEM. */
  readonly onCertificate?: (pem: string) => void;
}

/** Creates the gRPC server for MCP. Throws `bad-option`. */
export function mcpServer(options: McpServerOptions): GrpcServer {
  const { address, path, callers, files, accessList, maxMessageBytes, settings } = options;
  const { clock, logger, metadata, gate, onRefused, onCertificate } = options;
  const watched = watchedFiles(clock);
  const access = files && new McpAccess({ file: accessList, logger, ...watched });
  const refusalLogger = new FoldedLog(logger, clock);
  const server = createGrpcServer({
    address,
    methods: new Map([[path, (stream) => gate.admit(stream, access)]]),
    logger,
    ...(metadata && { metadata }),
    ...(maxMessageBytes !== undefined && { maxMessageBytes }),
    sendTimeoutMs: settings.sendTimeoutMs,
    pingIntervalMs: settings.keepaliveIntervalMs,
    pingTimeoutMs: settings.keepaliveTimeoutMs,
    ...(files && { tls: { files, ...watched, ...(onCertificate && { onCertificate }) } }),
    ...(access && { authenticate: access.authenticate }),
    onRefusedPeer(peer, reasons) {
      onRefused();
      refusalLogger.warn({ peer, reasons }, `mcp ${callers} refused`);
    },
  });
  return {
    async start() {
      await access?.start();
      return await server.start();
    },
    async stop(how) {
      await server.stop(how);
      await access?.stop();
    },
  };
}

/** The files for mTLS, either all of them or none. */
export function certificateFiles(options: Options): KeyPairFiles | undefined {
  const { mcpTlsCert: certificate, mcpTlsKey: key, mcpTlsCa: authorities, mcpAccessList } = options;
  if (certificate !== undefined && key !== undefined && authorities.length > 0) {
    return { certificate, key, authorities };
  }
  if (certificate !== undefined || key !== undefined || authorities.length > 0) {
    throw new MeshError("bad-option", "--mcp-tls-cert, --mcp-tls-key and --mcp-tls-ca must be set together");
  }
  if (mcpAccessList !== undefined) {
    throw new MeshError("bad-option", "--mcp-access-list needs --mcp-tls-cert: without TLS, clients have no names");
  }
  return undefined;
}
