import type { Service } from "../../model/service.ts";

const sessionLabels = ["istio.io/persistent-session", "istio.io/persistent-session-header"];

/** Clients stay with the endpoint they first reached, even while it is going away. */
export function keepsSessions({ labels }: Service): boolean {
  return sessionLabels.some((label) => (labels[label] ?? "") !== "");
}
