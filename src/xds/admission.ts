import { GrpcStatus, type GrpcStream } from "../lib/grpc/grpc-stream.ts";
import type { Client } from "./resource-source.ts";

/** Why a stream is turned away, in words for whoever runs the client. */
export interface Refusal {
  readonly type: "refused";
  readonly status: GrpcStatus;
  readonly message: string;
  /** When it may come again. */
  readonly retryAfterMs?: number;
}

/** A message that cannot be served, whoever sent it. */
export function invalid(message: string): Refusal {
  return { type: "refused", status: GrpcStatus.INVALID_ARGUMENT, message };
}

/** A stream that may speak: what its first message says of its node decides who it is. */
export interface Admitted<C extends Client> {
  readonly type: "admitted";
  /** The bytes are valid only during the call, and absent when the message has no node. */
  introduce(node: Uint8Array | undefined): { readonly type: "client"; readonly client: C } | Refusal;
}

/** Who may come in. Asked before anything is read from a stream; while it thinks, the client waits. */
export type Admit<C extends Client> = (stream: GrpcStream) => Admitted<C> | Refusal | Promise<Admitted<C> | Refusal>;
