import type { PeerName } from "../../../../scripts/peer.ts";
import type { Bound } from "../../../../src/testing/eventually.ts";
import type { WrittenObject } from "../oracle/generations.ts";

/** The server that a source reads, in the hands of a test. */
export interface Origin extends AsyncDisposable {
  /** The URL of the source, as pages show it. */
  readonly source: string;
  /** A second source of the same server, which its arguments name. */
  readonly beside?: string;
  /** More arguments of the server that reads it. */
  readonly args: readonly string[];
  /**
   * Writes objects: those of the next generation, or all at the start. Undefined for a registry of services, whose
   * objects are in a directory beside it.
   */
  readonly write?: (objects: readonly WrittenObject[]) => Promise<void>;
  /** The objects of a generation. Default: objects that refer to each other, for origins that deliver them together. */
  readonly objectsOf?: (generation: number) => readonly WrittenObject[];
  /** For a registry: registers one more service. Returns the name of its cluster. */
  readonly join?: (generation: number) => Promise<string | undefined>;
}

/** One fault of an origin. */
export interface OriginFault<O extends Origin> {
  /** Continues the name of the source: `is away`. */
  readonly name: string;
  readonly effect: string;
  readonly bound: Bound;
  readonly form?: "whole";
  /** Part of the reason or of an issue that pages show during the fault. */
  readonly said: RegExp;
  /** The same about the second source. */
  readonly saidBeside?: RegExp;
  readonly begin: (origin: O) => Promise<void> | void;
  /** Ends the fault. `next` writes the next generation, as soon as the origin takes it. */
  readonly end: (origin: O, next: () => Promise<void>) => Promise<void>;
}

/** A kind of source with its faults. */
export interface SourceSubject<O extends Origin> {
  /** With an article: `an etcd`. */
  readonly name: string;
  readonly peers?: readonly PeerName[];
  readonly open: () => Promise<O>;
  readonly faults: readonly OriginFault<O>[];
}
