/** Whether private keys may be sent on a stream, and why not. */
export type KeyAccess = "allowed" | "not-encrypted" | "not-authenticated";
