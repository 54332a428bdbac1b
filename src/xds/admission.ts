import { GrpcStatus, type GrpcStream } from "../lib/grpc/grpc-stream.ts";
import type { Client } from "./resource-source.ts";

/** Why the server refuses a stream. The text is for the operator of the client. */
export interface Refusal {
  readonly type: "refused";
  readonly status: GrpcStatus;
  readonly message: string;
  /** When the client may retry. */
  readonly retryAfterMs?: number;
}

/** A refusal for a message that the server can never serve, whichever client sent it. */
export function invalid(message: string): Refusal {
  return { type: "refused", status: GrpcStatus.INVALID_ARGUMENT, message };
}

/** An admitted stream. The node in its first message identifies the client. */
export interface Admitted<C extends Client> {
  readonly type: "admitted";
  /** The bytes are valid only during the call. They are absent when the message has no node. */
  introduce(node: Uint8Array | undefined): { readonly type: "client"; readonly client: C } | Refusal;
}

/**
 * Decides which streams the server accepts. It runs before the server reads from a stream; the client waits meanwhile.
 */
export type Admit<C extends Client> = (stream: GrpcStream) => Admitted<C> | Refusal | Promise<Admitted<C> | Refusal>;
