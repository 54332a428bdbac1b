import { create, toBinary } from "@bufbuild/protobuf";
import { type Any, AnySchema, anyPack } from "@bufbuild/protobuf/wkt";
import { DeltaDiscoveryResponseSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { ClientConfigSchema } from "#gen/envoy/service/status/v3/csds_pb.js";
import { GrpcStatus, type Peer } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ReportFailure } from "../../lib/supervisor.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { OutOfBandHandler, OutOfBandRequest } from "../../xds/xds-server.ts";
import { debugIndex } from "../debug-index.ts";
import { envoyDump } from "../pilot/envoy-dump.ts";
import { findProxy, proxiesOf } from "../pilot/find-proxy.ts";
import type { PageAnswer, Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import type { Viewer } from "../viewer.ts";
import { clientConfig } from "./client-configs.ts";
import { debugDumpType, debugSyncType, debugType, isDebugType } from "./debug-types.ts";

export interface DebugAnswersOptions {
  readonly state: Pick<PilotState, "connections" | "timeOf">;
  /** The pages that can be requested by name. */
  readonly pages: readonly Route[];
  /** The viewer at the other end of a stream. Undefined for an unauthenticated peer. */
  readonly viewerOf: (peer: Peer) => Viewer | undefined;
  /** The answering instance. */
  readonly instance: { readonly id: string; readonly version: string };
  readonly logger: Logger;
  /** Reports requests whose answer throws, for the log. */
  readonly onFailure: ReportFailure;
}

const noncePrefix = "debug-";

interface Named {
  readonly name: string;
  readonly any: Any;
}

/**
 * Answers `istioctl` over xDS: the state of every proxy, the dump of one proxy, and debug pages by name. Each request
 * is answered once with the current state; nothing is pushed. A workload sees its own namespace. An unauthenticated
 * peer sees nothing.
 */
export class DebugAnswers implements OutOfBandHandler<Proxy> {
  readonly #options: DebugAnswersOptions;
  readonly #identifier: string;
  /** With the list of these pages, which `istioctl` asks for. */
  readonly #pages: readonly Route[];
  #nonce = 0;

  constructor(options: DebugAnswersOptions) {
    this.#options = options;
    const { id, version } = options.instance;
    this.#pages = [...options.pages, ...debugIndex(options.pages)];
    this.#identifier = JSON.stringify({ Component: "binnacle", ID: id, Info: { version } });
  }

  handles(typeUrl: string): boolean {
    return isDebugType(typeUrl);
  }

  answer(request: OutOfBandRequest<Proxy>): void {
    const { stream, typeUrl, nonce, client } = request;
    // An acknowledgement of an answer. Requests may have a nonce too: `istioctl` puts the time there.
    if (nonce.startsWith(noncePrefix)) return;
    const viewer = this.#options.viewerOf(stream.peer);
    if (viewer === undefined) {
      this.#options.logger.warn(
        { node: client.nodeId, peer: stream.peer.address, type: typeUrl },
        "debug request refused",
      );
      return stream.end(
        GrpcStatus.UNAUTHENTICATED,
        "authentication required: connect over TLS, or from the server's own machine",
      );
    }
    this.#resources(request, viewer)
      .then((resources) => stream.send(this.#encode(request, resources), []))
      .catch((thrown: unknown) => {
        this.#options.onFailure(thrown, { type: typeUrl });
        stream.end(GrpcStatus.INTERNAL, "internal error");
      });
  }

  async #resources({ typeUrl, names }: OutOfBandRequest<Proxy>, viewer: Viewer): Promise<readonly Named[]> {
    if (typeUrl === debugSyncType) return this.#clients(viewer);
    const [name, ...more] = names;
    if (name === undefined || more.length > 0) return [];
    if (typeUrl === debugDumpType) return this.#dump(name, viewer);
    return typeUrl === debugType ? await this.#page(name, viewer) : [];
  }

  #clients(viewer: Viewer): readonly Named[] {
    const { timeOf } = this.#options.state;
    return this.#proxies(viewer).map((connection) => ({
      name: connection.client.id,
      any: anyPack(ClientConfigSchema, clientConfig(connection, timeOf)),
    }));
  }

  #dump(name: string, viewer: Viewer): readonly Named[] {
    const { state } = this.#options;
    const found = findProxy(this.#proxies(viewer), name);
    if (found === undefined) return [];
    return envoyDump(found, state, { endpoints: false }).map((any) => ({ name: any.typeUrl, any }));
  }

  /**
   * `syncz?namespace=x` requests the page of that name. Its error for a bad request is sent as the answer. By "404 page
   * not found" `istioctl` knows that the page does not exist, and prints the list of pages.
   */
  async #page(name: string, viewer: Viewer): Promise<readonly Named[]> {
    const asked = new URL(`/debug/${name}`, "http://localhost");
    const route = this.#pages.find(({ path }) => path === asked.pathname);
    const { body } =
      route === undefined ? { body: `404 page not found: ${name}\n` } : await shown(route, asked, viewer);
    return [{ name, any: create(AnySchema, { typeUrl: debugType, value: Buffer.from(body) }) }];
  }

  #proxies(viewer: Viewer) {
    const all = proxiesOf(this.#options.state);
    return viewer.type === "system" ? all : all.filter(({ client }) => client.namespace === viewer.namespace);
  }

  #encode({ typeUrl, mode }: OutOfBandRequest<Proxy>, resources: readonly Named[]): Uint8Array {
    const nonce = `${noncePrefix}${++this.#nonce}`;
    const controlPlane = { identifier: this.#identifier };
    if (mode === "sotw") {
      const content = { typeUrl, nonce, versionInfo: nonce, controlPlane, resources: resources.map(({ any }) => any) };
      return toBinary(DiscoveryResponseSchema, create(DiscoveryResponseSchema, content));
    }
    const named = resources.map(({ name, any }) => ({ name, version: nonce, resource: any }));
    const content = { typeUrl, nonce, systemVersionInfo: nonce, controlPlane, resources: named };
    return toBinary(DeltaDiscoveryResponseSchema, create(DeltaDiscoveryResponseSchema, content));
  }
}

async function shown({ answer, answerWithin }: Route, asked: URL, viewer: Viewer): Promise<Pick<PageAnswer, "body">> {
  if (viewer.type === "system") return await answer(asked.searchParams);
  if (answerWithin === undefined) return { body: "only operators may see this page\n" };
  return await answerWithin(viewer.namespace, asked.searchParams);
}
