import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { Connection } from "../../xds/connection.ts";
import type { Mode } from "../../xds/mode.ts";
import { NameSets } from "../../xds/resources/name-set.ts";
import type { SentResponse } from "../../xds/stream-observer.ts";
import { warmingRules } from "../../xds/stream/warming.ts";
import { RouteSplits } from "../../xds/virtual-hosts/route-splits.ts";
import type { HeldByType } from "./held-resources.ts";
import { type OpeningRequest, RehearsedClient } from "./rehearsed-client.ts";
import { rehearsalObserver } from "./rehearsal-observer.ts";
import type { SwitchedSource } from "./switched-source.ts";

/** A stream to rehearse. */
export interface RehearsedStream {
  readonly client: Proxy;
  readonly mode: Mode;
  /** The requests of a connected client; undefined for an Envoy that starts. */
  readonly requests: readonly OpeningRequest[] | undefined;
}

/** All responses of one type that a change causes on a stream. */
export interface SentType {
  readonly responses: number;
  /** Resources in these responses, unchanged ones included: in SotW a response lists all clusters and listeners. */
  readonly resources: number;
  /** Bytes of the messages without their nonces, whose length depends on earlier responses. */
  readonly bytes: number;
}

export interface Rehearsal {
  readonly before: HeldByType;
  readonly after: HeldByType;
  /** By type URL. */
  readonly sent: ReadonlyMap<string, SentType>;
}

/**
 * Plays a change on a stream without a network, with the code that serves real streams: the client gets the mesh before
 * the change, then the difference. No timer runs, so no answer is ever late.
 */
export function rehearse({ client, mode, requests }: RehearsedStream, source: SwitchedSource): Rehearsal {
  const sent = new Map<string, SentType>();
  let nonce = 0;
  let isCounted = false;
  const count = ({ typeUrl, resources, bytes }: SentResponse) => {
    const before = sent.get(typeUrl) ?? { responses: 0, resources: 0, bytes: 0 };
    sent.set(typeUrl, {
      responses: before.responses + 1,
      resources: before.resources + resources,
      bytes: before.bytes + bytes - String(nonce).length,
    });
  };
  const connection: Connection<Proxy> = new Connection<Proxy>(
    { id: client.id, client, mode, stream: openStream },
    {
      source,
      nameSets: new NameSets(),
      splits: new RouteSplits(),
      clock: { now: () => 0, after: () => () => undefined },
      observer: rehearsalObserver((response) => {
        nonce++;
        if (isCounted) count(response);
      }),
      warmingRules,
      ackTimeoutMs: 1,
      onSent: () => read(),
    },
  );
  const rehearsed = new RehearsedClient(connection);
  const read = () => {
    const subscription = connection.subscriptions.find(({ sentNonce }) => sentNonce === String(nonce));
    if (subscription?.inFlight === undefined) return;
    rehearsed.received({ type: subscription.type, ...subscription.inFlight });
  };
  if (requests === undefined) rehearsed.start();
  else rehearsed.repeat(requests);
  const before = rehearsed.held.copy();
  isCounted = true;
  source.switch();
  connection.push({ reasons: new Map(), startedAt: 0 });
  rehearsed.run();
  const after = rehearsed.held.copy();
  connection.close({ type: "client" });
  return { before, after, sent };
}

/** Takes everything at once. */
const openStream = {
  peer: { address: "rehearsal" },
  closed: false,
  queued: 0,
  attach: () => undefined,
  send: () => undefined,
  end: () => undefined,
};
