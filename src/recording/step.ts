import type { LoggedObject, Provenance } from "../history/logged-object.ts";
import type { GrpcStatus, Peer } from "../lib/grpc/grpc-stream.ts";
import type { OutsideCall } from "../pilot/xds/entrance.ts";
import type { GateAnswer } from "../pilot/xds/rollout/staged-rollout.ts";
import type { Refusal } from "../xds/admission.ts";
import type { StreamKind } from "../xds/xds-server.ts";
import type { ChangedReads } from "./read-log.ts";

/** An event of a source. Issues are left out: no resource depends on them. */
export type RecordedEvent =
  | {
      readonly type: "upserted";
      readonly collection: string;
      readonly object: LoggedObject;
      readonly provenance: Provenance;
    }
  | { readonly type: "deleted"; readonly collection: string; readonly key: string }
  | { readonly type: "fullSync"; readonly collection: string }
  | { readonly type: "stale"; readonly reason: string }
  | { readonly type: "reset" | "overdue" | "fresh" };

/** The event from outside that begins a step. Streams have numbers. Timers and turns have the ids of their creation. */
export type StepCause =
  | { readonly type: "source"; readonly source: string; readonly events: readonly RecordedEvent[] }
  | { readonly type: "open"; readonly stream: number; readonly kind: StreamKind; readonly peer: Peer }
  | RequestCause
  | { readonly type: "flushed"; readonly stream: number }
  | { readonly type: "closed"; readonly stream: number; readonly reason: "client" | "server" | "broken" }
  /** The stream is ended from outside, such as by an operator. */
  | { readonly type: "end"; readonly stream: number; readonly status: GrpcStatus; readonly message: string }
  | { readonly type: "timer" | "turn"; readonly id: string }
  /** The answer of a metric system to the gate of a rollout. */
  | { readonly type: "gate"; readonly id: string; readonly answer?: GateAnswer }
  | OutsideCall;

/** A request of a client, in base64. */
export interface RequestCause {
  readonly type: "request";
  readonly stream: number;
  readonly bytes: string;
  /** Whether a key, a token or a password was left out. */
  readonly redacted?: true;
}

/** A message or the end of a stream, as the server sent it. */
export type RecordedOutput = RecordedResponse | RecordedEnd;

export interface RecordedEnd {
  readonly type: "end";
  readonly stream: number;
  readonly status: GrpcStatus;
  readonly message: string;
}

export interface RecordedResponse {
  readonly type: "response";
  readonly stream: number;
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  readonly removed: readonly string[];
  /** The ids of its contents, in their order on the wire. */
  readonly contents: readonly string[];
}

/** A run of resources that responses share. */
export interface Contents {
  readonly id: string;
  readonly entries: readonly ContentEntry[];
}

export interface ContentEntry {
  readonly name: string;
  /** The version of a resource of its own. Empty in the state-of-the-world protocol. */
  readonly version: string;
  /** The hash of its bytes. */
  readonly hash: string;
  /** The hashes of its fields, by their paths. */
  readonly fields: Readonly<Record<string, string>>;
}

/** All that a server does between two events from outside. It follows from the cause and the reads alone. */
export interface RecordedStep {
  readonly number: number;
  /** In the milliseconds of the server's clock. */
  readonly at: number;
  readonly cause: StepCause;
  /** The reads of the clock. Before the first change it shows `at`. */
  readonly clock?: ChangedReads<number>;
  /** The reads of unsent bytes: 0 before the first change. */
  readonly queued?: ChangedReads<number>;
  /** The reads of the load: `usual` before the first change. */
  readonly load?: ChangedReads<string>;
  /** Of the calls of `turn`, those that yielded. */
  readonly yields?: readonly number[];
  /** Why the proxy of this step may not connect. */
  readonly refusal?: Refusal;
  /** The stream of this step is not for proxies. */
  readonly foreign?: true;
  readonly outputs?: readonly RecordedOutput[];
}

/** The settings that the replayed server needs: plain values. */
export type RecordedSettings = Readonly<Record<string, unknown>>;

export interface RecordingHead {
  readonly format: 1;
  /** The version of the server. */
  readonly binnacle: string;
  /** Milliseconds since 1970, and the server's clock at that time. */
  readonly startedAt: number;
  readonly clockAt: number;
  readonly settings: RecordedSettings;
  /** In order of precedence. */
  readonly sources: readonly { readonly name: string; readonly collections: readonly string[] }[];
}
