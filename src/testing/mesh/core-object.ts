/** An object as it is at first, and single fields that edits change from there. */
export interface CoreObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly spec: object;
  readonly others: readonly object[];
}
