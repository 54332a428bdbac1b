import type { ObjectLink } from "./object-link.ts";

/** `GET /api/v1/proxies/NODE/resources/NAME/why?type=TYPE&field=PATH`: where the value of a field comes from. */
export interface FieldCauses {
  readonly type: string;
  readonly resource: string;
  /** Empty for the whole resource. */
  readonly field: string;
  readonly value: unknown;
  /** The lines that give the value come first. None: it is a default. */
  readonly causes: readonly FieldCause[];
}

/** A line of an object, or an object whose lines are not known. */
export interface FieldCause {
  /** `value`: the line gives the value. `condition`: it decides whether the resource has the value. */
  readonly role: "value" | "condition";
  /** `reference` is the place of the line. */
  readonly object: ObjectLink;
  /** As in `spec.http[0].timeout`. Empty for a whole object. */
  readonly field: string;
  readonly value?: string | number | boolean;
}
