/** An object of a user, with enough facts to link to it. */
export interface ObjectLink {
  /** `Kind/namespace/name`. The screens use it in links. */
  readonly id: string;
  readonly kind: string;
  /** Empty for objects of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
  /** The source, as in `file:./mesh`; absent if the object is gone or made by the server. */
  readonly source?: string;
  /** `file:line`, or the path in a registry; absent if unknown. */
  readonly reference?: string;
}

/** A part of an object: `spec.http[0]`, `configPatches[1]`, `rule 0`. */
export interface ObjectPart {
  readonly object: ObjectLink;
  readonly part?: string;
}
