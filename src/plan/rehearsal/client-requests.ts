import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Mode } from "../../xds/mode.ts";
import { readDeltaRequest, readSotwRequest } from "../../xds/wire/request.ts";
import { textLength, varintLength, WireWriter } from "../../xds/wire/wire-format.ts";

/** All resources of a type, or these names. */
export type Asked = "all" | ReadonlySet<string>;

const noNames: ReadonlySet<string> = new Set();

/** The end of a stream that takes requests. */
type RequestSink = Pick<Connection<Proxy>, "mode" | "receiveSotw" | "receiveDelta">;

/**
 * The requests of one rehearsed stream, in SotW or delta, as a client sends them. It does not interpret resources. The
 * form of the requests decides what the server answers: in SotW a client repeats all names with every acknowledgement.
 */
export class ClientRequests {
  readonly #mode: Mode;
  readonly #connection: RequestSink;
  readonly #asked = new Map<string, Asked>();
  /** The nonce of the last response of each type that the client has read. */
  readonly #nonces = new Map<string, string>();

  constructor(connection: RequestSink) {
    this.#mode = connection.mode;
    this.#connection = connection;
  }

  /** Undefined before the first request of the type. */
  asked(typeUrl: string): Asked | undefined {
    return this.#asked.get(typeUrl);
  }

  /** The first request of a type. `held` has the versions by name that the client keeps from an earlier stream. */
  begin(typeUrl: string, asked: Asked, held: ReadonlyMap<string, string> = new Map()): void {
    this.#asked.set(typeUrl, asked);
    if (this.#mode === "sotw") this.#sendSotw(typeUrl);
    else this.#sendDelta({ typeUrl, subscribe: asked === "all" ? ["*"] : [...asked], held });
  }

  /**
   * Asks for these names from now on. `isUnread` is true while the client has an unread response of the type: in SotW
   * its acknowledgement will carry the names. A type without a request and without names needs none.
   */
  ask(typeUrl: string, names: ReadonlySet<string>, isUnread: boolean): void {
    const before = this.#asked.get(typeUrl);
    if (before === "all" || (before === undefined && names.size === 0)) return;
    if (before === undefined) return this.begin(typeUrl, names);
    const [subscribe, unsubscribe] = [[...names.difference(before)], [...before.difference(names)]];
    if (subscribe.length === 0 && unsubscribe.length === 0) return;
    this.#asked.set(typeUrl, names);
    if (this.#mode === "delta") this.#sendDelta({ typeUrl, subscribe, unsubscribe });
    else if (!isUnread) this.#sendSotw(typeUrl);
  }

  /** In SotW, sends the same names once more. Delta has no such message. */
  repeat(typeUrl: string, names: ReadonlySet<string>): void {
    const asked = this.#asked.get(typeUrl);
    const isSame = asked !== undefined && asked !== "all" && asked.symmetricDifference(names).size === 0;
    if (this.#mode === "sotw" && isSame && this.#nonces.has(typeUrl)) this.#sendSotw(typeUrl);
  }

  /** Notes that the client reads this response now. */
  read(typeUrl: string, nonce: string): void {
    this.#nonces.set(typeUrl, nonce);
  }

  /** In SotW an acknowledgement is about the last response that the client read. */
  acknowledge(typeUrl: string, nonce: string): void {
    if (this.#mode === "sotw") this.#sendSotw(typeUrl);
    else this.#sendDelta({ typeUrl, nonce });
  }

  #sendSotw(typeUrl: string): void {
    const asked = this.#asked.get(typeUrl) ?? "all";
    const names = asked === "all" ? noNames : asked;
    const nonce = this.#nonces.get(typeUrl) ?? "";
    const length = textLength(typeUrl) + textLength(nonce) + namesLength(names);
    const writer = new WireWriter(length);
    for (const name of names) writer.text(3, name);
    this.#connection.receiveSotw(readSotwRequest(writer.text(4, typeUrl).text(5, nonce).bytes));
  }

  #sendDelta({ typeUrl, subscribe = [], unsubscribe = [], held = new Map(), nonce = "" }: DeltaMessage): void {
    const versions = Array.from(held, ([name, version]) => ({
      name,
      version,
      length: textLength(name) + textLength(version),
    }));
    const versionsLength = versions.reduce((sum, { length }) => sum + 1 + varintLength(length) + length, 0);
    const names = namesLength(subscribe) + namesLength(unsubscribe);
    const writer = new WireWriter(textLength(typeUrl) + names + versionsLength + textLength(nonce));
    writer.text(2, typeUrl);
    for (const name of subscribe) writer.text(3, name);
    for (const name of unsubscribe) writer.text(4, name);
    for (const { name, version, length } of versions) writer.header(5, length).text(1, name).text(2, version);
    this.#connection.receiveDelta(readDeltaRequest(writer.text(6, nonce).bytes));
  }
}

interface DeltaMessage {
  readonly typeUrl: string;
  readonly subscribe?: readonly string[];
  readonly unsubscribe?: readonly string[];
  readonly held?: ReadonlyMap<string, string>;
  readonly nonce?: string;
}

function namesLength(names: Iterable<string>): number {
  let length = 0;
  for (const name of names) length += textLength(name);
  return length;
}
