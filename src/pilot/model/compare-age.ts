import { compareTexts } from "../../lib/compare.ts";
import type { Service } from "./service/service.ts";

interface Dated {
  readonly createdAt: number;
  readonly name: string;
  readonly namespace: string;
}

type DatedService = Pick<Service, "createdAt" | "hostname" | "namespace">;

/** Oldest first; ties by name, then namespace. Decides every conflict between objects of one kind. */
export function compareAge(a: Dated, b: Dated): number {
  return a.createdAt - b.createdAt || compareTexts(a.name, b.name) || compareTexts(a.namespace, b.namespace);
}

/** The same for services, whose names are hostnames. */
export function compareServiceAge(a: DatedService, b: DatedService): number {
  return a.createdAt - b.createdAt || compareTexts(a.hostname, b.hostname) || compareTexts(a.namespace, b.namespace);
}
