import type { DocumentStore, StoredDocument } from "../lib/document-store.ts";
import type { Roots } from "./roots.ts";

export type StoredRoots = StoredDocument<Roots>;

/** The place of the roots that replicas share. Roots that cannot be read are an error, so that no new ones replace them. */
export type RootStore = DocumentStore<Roots>;
